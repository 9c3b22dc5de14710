/*
 * This field's words. WordNet knows neither that prod is production nor that a test is green; and of its opposites
 * only some are two ends of one state, as on and off are.
 */

/** Words for one thing, one set a line; the first stands for the set. */
export const SYNONYMS = `
production prod prd
staging stage preprod preproduction
development dev
kubernetes k8s kube
postgres postgresql pg
javascript js ecmascript
typescript ts
python py
configuration configure config conf cfg setting settings configured
repository repo
directory folder dir
documentation docs doc
environment env
database db
administrator admin
application app
authentication auth authn authenticate
test spec
character char digit
hexadecimal hex
library lib package
dependency dep
parameter param argument arg
function fn
operation op
message msg
address url
service svc
maximum max
minimum min
number count amount
certificate cert
begin commence
finish complete end
build compile
get fetch retrieve obtain receive
choose select pick
change modify alter edit touch
create generate produce
send deliver dispatch post upload
call invoke
check verify validate
restart reboot
fix repair mend
damage corrupt spoil
big large huge
small little tiny
old stale outdated
repeat retry try attempt
approve approval signoff
publish release
simultaneous simultaneously concurrent concurrently parallel
error failure fault
host machine server box
site website
file document
engineer developer programmer
person people user
computer laptop
show display print render
write emit output
request call
response answer reply
listen bind
lifetime expiry expire ttl
memory ram
interval period
bucket objectstorage
name call
mergerequest pullrequest pr mr
version release
contain hold include carry
team group squad
manage administer
search query lookup
schedule plan
limit cap bound restrict reserve
queue backlog
install setup
use employ utilise utilize
serve host offer provide
connect link
own belong possess
persist save store keep
time
lockfile lock
customer client
`;

/** Two ends of one state, one pair a line: `words | words`. What is at the second end says the first with *not*. */
export const POLES = `
pass succeed successful successfully green clean ok fine work works working passing healthy | fail failing failed failure red break broken crash abort unsuccessful unhealthy
enable enabled on active activate activated armed unmute resume | disable disabled off inactive deactivate deactivated mute muted suspend suspended pause paused silence silenced dormant
accept allow allowed permit permitted let admit support supported accepted welcome tolerate honour honor | reject refuse block deny forbid forbidden disallow prohibit ban banned refused unsupported decline
keep retain preserve kept forward survive persist | delete remove drop discard wipe purge erase strip lose lost dispose evict prune clear discontinue retire
present exist available set | missing absent gone lack unavailable unset
start run launch up running boot begin | stop halt down stopped terminate kill
open opened reachable accessible exposed | closed shut unreachable inaccessible
visible shown see | hidden hide
possible | impossible
include included | exclude excluded exempt omit omitted skip skipped ignore ignored
check checked validate validated verify verified | unchecked unvalidated unverified
`;

/** Two ends of a quality: of the second end, only a claim that speaks of the first says the opposite. */
export const QUALITIES = `
sync synchronous synchronously | async asynchronous asynchronously
eager eagerly upfront | lazy lazily deferred
static statically | dynamic dynamically
manual manually | automatic automatically automated auto
parallel concurrent concurrently simultaneous simultaneously | sequential sequentially serial serially
fast faster quick quickly quicker speedup | slow slower slowly
increase raise grow rise | decrease reduce shrink fall sink
encrypted encrypt | plaintext cleartext
public publicly | private privately
mutable writable change modify alter edit | immutable readonly
strict strictly | lenient loose
often commonly common frequently usual usually | rarely rare seldom
valid | invalid
lock | unlock
same equal identical | different
alive | dead
online | offline
stateful | stateless
connected | disconnected
mandatory | optional
ordered sorted | unordered unsorted
permanent permanently | temporary temporarily
deterministic | random
buffer buffered | stream streamed streaming
attended | unattended
shared | isolated dedicated
real genuine | mocked mock fake faked stub stubbed simulated dummy
blocking | nonblocking
linear linearly | exponential exponentially
awake | asleep
busy | idle
optin | optout
reversible | undoable irreversible
full | empty
verbose | quiet silent
`;

/** Words of which only one can be said of a thing in one respect: `word:opposite,opposite`. */
export const OPPOSITES =
  'hash:encrypt clockwise:counterclockwise flat:grow,increase,rise,shrink constant:grow,vary,growing random:sequential,consecutive,incremental free:cost,paid opaque:transparent,readable ' +
  'hashed:plaintext,cleartext single:several,multiple,many,sharded monolith:microservice,microservices cloud:onpremise inline:external native:emulated ' +
  'relative:absolute horizontal:vertical ascending:descending ephemeral:persistent,durable experimental:stable final:reversible,provisional reproducible:nondeterministic ' +
  'cold:warm,hot weekday:weekend morning:evening noon:midnight anonymous:authenticated,registered guest:member wired:wireless blacklist:whitelist allowlist:denylist ' +
  'closed:opensource proprietary:opensource opaque:jwt uuid:integer,sequential,incremental string:integer,number,object integer:float tcp:udp inmemory:disk memory:disk ' +
  'append:overwrite merge:overwrite,replace hourly:daily rolling:recreate centralised:distributed,decentralised centralized:distributed,decentralized real:inmemory ' +
  'backward:breaking compatible:breaking shallow:deep coarse:fine narrow:broad upstream:downstream primary:replica once:repeatedly ' +
  'batch:streaming,realtime preemptive:cooperative pessimistic:optimistic eventual:strong transient:permanent invite:public';

/** Words that tell two things apart, before a noun or `of`: what has one of them is not what has another. One set a line. */
export const ASPECTS = `
client server
frontend backend
read write
reader writer
input output
inbound outbound incoming outgoing
ingress egress
upload download
push pull
import export
encode decode
request response
hard soft
upper lower
minimum maximum average median mean peak total p50 p90 p95 p99
connect read write idle handshake
first second third fourth fifth last next previous
pre post
start end
source target destination
primary secondary replica standby foreign
local remote
internal external
public private
parent child
major minor patch
left right
old new
short long
unit integration smoke load browser contract
name type kind size owner date length
line column file
key value
cpu memory disk
lint format type test build
metrics health
requests limits request limit
author committer reviewer
compiler linker
host guest
`;

/** Verbs and nouns that say little: where something is, that it is so, what kind of thing it is. */
export const LIGHT =
  'be have do go live lie sit reside locate location find found store stored put place hold set get make take give come run use used serve contain carry ' +
  'call turn switch travel pin cover last leave fall back again amount environment size version attribute property ' +
  'need keep save tell know let stay remain stand exist happen occur perform ' +
  'handle perform conduct persist thing way kind sort means fact case time moment task work ' +
  'currently now always already still today just simply really actually also own itself themselves respectively exactly ' +
  'every each all any both such same certain specific given thanks through via available present';

/** Nouns that say little beside what they name: *the flag `-n`*, *`main` is the branch*. */
export const CLASSES =
  'tool file directory address value entry item number one flag option variable header field format mode method mechanism strategy ' +
  'branch table column class function command key port path url name topic module script setting parameter package image';

/** Words of grammar: prepositions and conjunctions govern what follows, the rest says nothing. */
export const PREPOSITIONS =
  'at by for from in into of on onto over upto per through to toward towards under via with within without as against between behind beside below above before after during since until till upon across around among inside outside like than about off out up down when if while where because unless though although that which who whose';
export const STOPS =
  'a an the this that these those its it he she they them their our we us you your i my his her there here and or but nor so then thus too very quite rather etc eg ie will would shall could did does do done is are was were be been being am has have had having s who whose what somebody someone';

/** Environments, platforms and other places in which a claim holds: a set for each question they answer. */
export const PLACES: Readonly<Record<string, string>> = {
  environment:
    'production staging development testing local locally ci canary preview sandbox qa uat integration demo',
  platform: 'linux windows macos darwin arm arm64 x86 amd64 ios android freebsd',
  shell: 'bash zsh fish powershell',
  browser: 'chrome firefox safari edge',
};
