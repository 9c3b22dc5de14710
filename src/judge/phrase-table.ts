/*
 * Phrases of several words, and what they say in one: `words > words`. In a pattern `a/b` is either word; a mark such
 * as `@only` stands for what a claim says about its scope. The longest pattern that starts at a word is taken.
 */
export const PHRASES = `
no longer > @not
not any longer > @not
not any more > @not
not anymore > @not
any more >
anymore >
is/are/was/were gone > is @not present
is/are/was/were gone from > is @not in
ripped/thrown/torn/phased/taken/factored/pulled/kicked/weeded out of > @not in
ripped/thrown/torn/phased/kicked/weeded out > @not present
removed/dropped/purged/eliminated/banished from > @not in
migrated/moved off > moved from
migrated/moved/switched/went/got/gone/shifted/turned away from > moved from
a/the few > some
went/goes/go/going off > rings
hardly/scarcely any > few
got rid of > @without
said goodbye to > @without
did/done away with > @without
no trace of > @no
is/are/was/were not involved > is @not present
is/are/was/were not part of > is @not in
has/have nothing to do with > @not @cause
has/have disappeared > is @not present
disappeared from > removed from
used to be > @formerly is
at first > @formerly
used to > @formerly
is/are/was/were used to/for > uses
is/are/was/were used for > uses
free of > without
lack of > missing
lacks/lacking of > without
lack/lacks > has @not
fail/fails/failed to > @not
refuse/refuses/refused to > @not
forget/forgets/forgot/omit/omits/omitted/neglects/neglect to > @not
nobody/none except > @only
no one but/except > @only
no one > nobody
unable to > @not can
plays/play/played no part/role in > @not @causes
plays/play/played no part/role > is @not present
has/have/had no bearing/influence/effect/impact on > @not @causes
no bearing/influence/effect/impact on > @not @causes
does/do not affect/influence > @not @causes
is/are/was/were not why > @not @causes
is/are/was/were not the reason why > @not @causes
is/are/was/were why > @causes
is/are/was/were innocent/blameless > @not @causes
is/are/was/were not to blame > @not @causes
is/are/was/were not at fault > @not @causes
cleared of suspicion/blame > @not @causes
was/were ruled out > @not @causes
owing to > @cause
on account of > @cause
as a result/consequence of > @cause
thanks to > @cause
the reason why > @causes
had nothing to do with > @not @cause
nothing to do with > @not @cause
nothing but > @only
nobody/none/nothing other than > @only
nobody/none but > @only
nothing else > @only
nobody else > @only
nowhere else > @only
under/in/at no other > @only
and nothing more/else > @only
for that reason only/alone > @only @cause
nowhere/absent/missing in/on/to > @not in
nowhere > @not present
no other > @only
nowhere but/except > @not @not @only
anywhere but/except > @not @only
anything but/except > @not @only
anyone/anybody but/except > @not @only
never again > once
stops/stop/stopped/trips/tripped/chokes/choked on/over > fails
not only > @also
exactly one > @part one
besides > @also
on top of > @also
in addition to > @also
save/except for > @except
apart/aside from > @except
with the exception of > @except
at all times > always
around the clock > always
almost/nearly all/every/each > most
for want of > without
for lack of > without
without harm/problems/trouble > safe
never more than > @max
not more than > @max
no more than > @max
never exceed/exceeds > @max
not exceed > @max
at most > @max
up to > upto
at the most > @max
a maximum of > @max
maximum of > @max
at least > @min
no fewer than > @min
no less than > @min
not less than > @min
a minimum of > @min
minimum of > @min
more than > @above
larger/greater/bigger/longer/older/higher than > @above
less than > @below
fewer/smaller/shorter/younger/lower than > @below
one of several/many causes/reasons/factors of/for > @partly @causes
one of the causes/reasons/factors of/for > @partly @causes
one of several > @partly
one of the > @partly
one of many > @partly
one cause/reason/factor of/for > @partly @causes
another cause/reason/factor of/for > @partly @causes
contribute/contributes/contributed to > @partly @causes
one of them >
must/should/shall/may/can never > @mustnot
must/should/shall not > @mustnot
may not > @mustnot
is/are forbidden/prohibited/disallowed/banned/illegal > @mustnot
is/are not allowed/permitted > @mustnot
is/are not allowed to > @mustnot
is/are forbidden to > @mustnot
it is forbidden for > @mustnot
it is forbidden to > @mustnot
is/are not permitted to > @mustnot
is/are not supposed to > @mustnot
need/needs not > @may @not
do/does not have to > @may @not
do/does not need to > @may @not
do/does not need > @may @not
do/does not require > @may @not
is/are not required/mandatory/needed/necessary > @may @not
not required/mandatory/needed/necessary > @may @not
not compulsory/obligatory > @may @not
no need > @may @not
has/have to > @must
had to > @must
is/are obliged/required to > @must
is/are required/mandatory/compulsory/obligatory/necessary > @must
is a requirement > @must
it is a requirement > @must
is a must > @must
needs/need to > @must
needs/need > @must
requires/require > @must
ought to > @must
is/are allowed/permitted > @may
is/are allowed/permitted/free to > @may
is/are optional > @may @not
is/are enough > @min
is/are sufficient > @min
suffices/suffice > @min
it is/was >
there is/are/was/were > has
by default > @default
these days > now
as they/it have/has always been > still
from/out of the factory > @default
a/the newly/freshly/new/fresh installed > @default
newly/freshly installed > @default
a fresh/clean/new/vanilla/stock install/installation of > @default
stock/vanilla > @default
comes/come with > has
set aside > reserved
unless configured > @default
unless/if/when nobody/nothing says/said otherwise > @default
when/if nobody/nothing says otherwise > @default
when/if/where nothing/none/nobody is/was/sets configured/set/given/passed/stated/specified/chosen > @default
when/if nobody/nothing sets/chooses/specifies/configures it/one > @default
with no > @if absent
left out/off > absent
out of the box > @default
ships/shipped with > @default
defaults/default to > @default
unless overridden/overriden > @default
unless configured/told/set/stated otherwise > @default
unless otherwise configured/told/set/stated > @default
if nothing is set/configured > @default
in the absence of > @if absent
if unset/missing/absent > @if absent
when unset/missing/absent > @if absent
falls/fall back to > uses
reserved for > @only
restricted/limited/confined to > @only
impossible to > @not
possible to > @may
uncommon for > @not common
is/are left alone/untouched/unchanged/unmodified/intact > is @not touched
is left > is
are left > are
because of > @cause
due to > @cause
entirely due to > @only @cause
solely due to > @only @cause
down to > @cause
caused/triggered/induced by > @cause
set off by > @cause
brought about by > @cause
set/sets off > @causes
is/are what makes/make/made > @causes
what makes/make/made > @causes
the reason for/of > @causes
the cause for/of > @causes
reason/reasons for > @causes
cause/causes of > @causes
comes/come/came/stems/stem/stemmed/results/resulted/arises/arose from > @cause
leads/lead/led to > @causes
responsible for > @causes
to blame for > @causes
root cause of > @causes
root cause > @causes
culprit for/behind > @causes
`;
