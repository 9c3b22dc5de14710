/*
 * Phrases that stand for one word of what happens, when or how, as `phrase-table.ts` has those of logic; in its form.
 */
export const IDIOMS = `
set/sets/leave/leaves/left/turn/turns/turned/switch/switches/switched/kept/keeps/keep off > disabled
set/sets/leave/leaves/left/turn/turns/turned/switch/switches/switched/kept/keeps/keep on > enabled
turning/switching on > enabling
turning/switching off > disabling
set to true > enabled
set to false > disabled
is true > is enabled
is false > is disabled
exits/exit/exited 0 > passes
exits/exit/exited with 0 > passes
exits/exit/exited with code/status 0 > passes
exits/exit/exited with > fails
exits/exit/exited non-zero > fails
exits/exit/exited nonzero > fails
exits/exit/exited 1/2/127 > fails
went through > passed
passed/pass/passes/passing to/along/into/around/as > given
finishes/finished/ends/ended/completes/completed/runs/ran without error/errors/failure/failures/problems > passes
it is not true that > @not
it is true that >
in size/length/total/all/number >
get/gets to see > sees
got/gets/get through > accepted
let/lets through > accepts
passes/passed through > accepts
passes/pass/passed on > forwards
let in > accepts
checked in/into > committed
gives/give/gave up > stops
in place of > @instead
instead of > @instead
rather than > @instead
as opposed to > @instead
in favour/favor of > for
in lieu of > @instead
takes/take/took the place of > replaced
speed/speeds/sped up > faster
slow/slows/slowed down > slower
brings/bring/brought up > starts
brings/bring/brought up to > upgraded to
starts/start/started up > starts
comes/come/came up > starts
goes/go/went down with/by/from > decreases with
goes/go/went up with/by/from > increases with
shut/shuts down > stops
boots/boot up > starts
left/leaves/leave in place > kept
left/leaves/leave behind > kept
left/leaves/leave intact > kept
left/leaves/leave alone/untouched/unchanged/unmodified > @not touched
outside of > @not inside
outside > @not inside
never/not twice > @max once
end to end > e2e
lives/live/lived for > lifetime
or/and newer/later/higher/above/more/longer/larger/up/upwards/greater > @min
or/and older/earlier/lower/below/less/fewer/shorter/smaller > @max
open source > opensource
thrown/throws/threw away > deleted
gets/get/got rid of > delete
cleaned/cleans/clean up > deleted
by hand > manual
by itself/themselves > automatic
on its/their own > automatic
of its/their own accord > automatic
at once > simultaneous
at the same time > simultaneous
one at a time > sequential
one after another/the other > sequential
one by one > sequential
in parallel > parallel
in sequence/series/order > sequential
on the fly > dynamic
at boot/startup/launch > @if start
at start > @if start
as well > @also
is/are part of >
every/each time > @if
even if/when > @also @if
as long as > @if
in case of > @if
in case > @if
moved/switched/migrated/changed over to > now with
moved/switched/migrated/changed to > now with
has/have moved/switched/migrated/changed to > is now with
is/are/was/were moved/switched/migrated/changed/ported/transferred/converted to > is now with
ported/converted/transferred to > now with
became/become/becomes > is now
turned into > is now
gave/gives/given/made/makes way to/for > was replaced by
is/are history > is discontinued
is/are a thing of the past > is discontinued
a thing of the past > discontinued
done without > @without
do/does without > @without
timed/times/time out > fails
went/goes/go smoothly/well/fine > passes
its/their own > dedicated
counter/anti clockwise > counterclockwise
opt in > optin
opt/opts/opted out > optout
out of order > unordered
in the clear > plaintext
invite/invitation only > private
exempt from > excluded from
given/gave up for > was replaced by
rolled back > failed
prior to > before
as of > since
as from > since
from now on > now
up until > until
once/twice a/per > per
each/every night > nightly
each/every day > daily
each/every hour > hourly
each/every week > weekly
each/every month > monthly
each/every year > yearly
every now and then > sometimes
once a/per day > daily
once a/per week > weekly
once an/per hour > hourly
once a/per month > monthly
once a/per year > yearly
third party > thirdparty
pull request > pullrequest
pull requests > pullrequest
merge request > pullrequest
merge requests > pullrequest
sign/signs/signed off > approved
sign off/offs > approval
has/have been > is
one in twenty > 5 %
code review > review
sole/only reason/cause for/of > @only @causes
sole/only one > @only
plain text > plaintext
in clear text > plaintext
local time > localtime
read only > readonly
append only > appendonly
`;
