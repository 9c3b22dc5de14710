import type { Announced } from '../../capture/announced.ts';
import type { Intent } from '../../capture/brief-file.ts';
import type { ProposalDraft } from '../../extract/draft.ts';
import type { MessagesOf, Proposals } from '../../extract/port.ts';
import type { Audit, Witness } from '../../fold/audit.ts';
import type { HandoffDraft } from '../../handoff/handoff.ts';
import type { Home, Pin } from '../../home/home.ts';
import type { SetUp, Wanted } from '../../home/set-up.ts';
import type { Flags } from '../../home/settings.ts';
import type { Check } from '../../lake/probe.ts';
import type { CheckedBundle } from '../../ledger/bundle.ts';
import type { EntryProof, GrowthProof } from '../../ledger/entry-proof.ts';
import type { LiveAgent } from '../../live/live.ts';
import type { Parts, SyncReport } from '../../pipeline.ts';
import type { Certificate } from '../../query/erasure.ts';
import type { Exported } from '../../query/export.ts';
import type { ExportWish } from '../../query/export-wish.ts';
import type { SessionView } from '../../query/session.ts';
import type { Queue } from '../../query/status.ts';
import type { SignedRecord } from '../../record/record.ts';
import type { Envelope, Injected } from '../../runtime/envelope.ts';
import type { Sql } from '../../snapshot/port.ts';
import type { Replay } from '../../snapshot/replay.ts';
import type { Imported } from '../../verbs/bundles.ts';
import type { WrittenFiles } from '../../verbs/conventions.ts';
import type { KnowledgeBase } from '../../verbs/knowledge.ts';
import type { Output } from './output.ts';

/** What every command gets: the settings, the pipeline and the snapshot, never a store or a file of its own. */
export interface Context {
  readonly out: Output;
  /** Opened when first asked for, so that help needs no settings. */
  readonly home: () => Omit<Home, 'store' | 'save'>;
  /** Reads the settings again, after they were written, or with what flags of the call set over them. */
  readonly reload: (flags?: Flags) => void;
  /** The fleet that this home follows, whatever the settings say. */
  readonly readPin: () => Pin | undefined;
  readonly setUp: (wanted: Wanted) => Promise<SetUp>;
  /** Writes into the user's settings file, also where what stands there cannot be resolved. */
  readonly save: (
    values: Readonly<Record<string, string | number | boolean | readonly string[]>>,
  ) => void;
  /** Takes away what was derived from the ledger. Throws `fleet.move` where this home captured something. */
  readonly leaveFleet: () => void;
  /** Runs with all parts and the machine's lock; undefined where another process holds it. */
  readonly withParts: <T>(
    body: (parts: Parts) => Promise<T>,
  ) => Promise<{ readonly value: T } | undefined>;
  /** A sync; with a maintenance pass where it `maintains` and one is due. */
  readonly syncOnce: (maintains?: boolean) => Promise<SyncReport | undefined>;
  /** A snapshot for reading: `state` for people, `agent` for what agents may see. */
  readonly read: <T>(which: 'state' | 'agent', body: (sql: Sql) => T) => T;
  /** As `read`; undefined where nothing was followed yet. */
  readonly tryRead: <T>(which: 'state' | 'agent', body: (sql: Sql) => T) => T | undefined;
  readonly doctor: () => Promise<readonly Check[]>;
  /** Runs once for each machine of the sample fleet, in folders of its own; answers with the context of one of them. */
  readonly samples: (
    body: (context: Context, machine: string) => Promise<void>,
  ) => Promise<Context>;
  /** The sample fleet as it stands after `samples`; undefined where it never ran. */
  readonly sampled: () => Context | undefined;
  /** The events of a sealed session, merged and in order. */
  readonly events: (view: SessionView) => Promise<readonly Envelope[]>;
  /** Reads the whole ledger of this home's store, and holds it against what was seen of it before. */
  readonly audit: (witnesses: readonly Witness[]) => Promise<Audit>;
  /** Tells every decision of a sound ledger again, from the entries before it. Throws `ledger.*`. */
  readonly replay: (fleetId: string) => Promise<Replay>;
  /** Proves an entry, or that the ledger goes on from a head. Throws `entry.*`, `proof.*`, `state.missing`. */
  readonly prove: (entry: string) => Promise<EntryProof>;
  readonly proveGrowth: (from: unknown) => Promise<GrowthProof>;
  /** The certificate of an erasure. Throws `entry.*`, `erasure.missing`, `state.missing`. */
  readonly certificate: (erasure: string) => Promise<Certificate>;
  /** The erasure that took what stood at a position, as far as this machine has followed. */
  readonly erasureOf: (seq: number) => string | undefined;
  /** The signed head of the commit up to which the ledger was followed. */
  readonly signedHead: () => Promise<SignedRecord>;
  /** Makes a bundle, and writes it to a new file where one is named. Throws `export.*`, `claim.*`. */
  readonly exportBundle: (wish: ExportWish, out: string | undefined) => Promise<Exported>;
  /** Reads a bundle and checks all of it. Throws `bundle.*`. */
  readonly readBundle: (path: string) => Promise<CheckedBundle>;
  /** Says in the ledger what a bundle holds; undefined where another process holds the lock. */
  readonly importBundle: (
    bundle: CheckedBundle,
    dryRun: boolean,
  ) => Promise<{ readonly value: Imported } | undefined>;
  /** What was captured of a session, here or in the store; undefined where nothing of it is known. */
  readonly messages: MessagesOf;
  /** The verbs of claims, in turn with whoever else is at work on this machine; what one says stands when it resolves. */
  readonly knowledge: <T>(body: (base: KnowledgeBase) => Promise<T>) => Promise<T>;
  /** What the spool here still holds of a session, all of it since its last seal: without the store. */
  readonly held: (session: string) => readonly Envelope[];
  readonly liveAgents: () => readonly LiveAgent[];
  readonly liveIntents: () => readonly Intent[];
  /** A session that this machine captured and has not sealed yet. */
  readonly captured: (session: string) => CapturedSession | undefined;
  readonly local: Local;
  readonly keys: KeyFiles;
}

/** A key of this home, without what is secret in it. */
export interface ShownKey {
  readonly name: string;
  readonly path: string;
  /** Missing where the file holds no key, and `fault` is the code of what is wrong with it. */
  readonly address?: string;
  readonly sealed?: boolean;
  readonly fault?: string;
}

/** The files that hold this home's keys. */
export interface KeyFiles {
  readonly list: () => readonly ShownKey[];
  /** The variable that the settings name, and whether it holds a passphrase. */
  readonly passphrase: () => { readonly variable: string | undefined; readonly isSet: boolean };
  /**
   * Seals the keys that are open, or opens those that are sealed, under the passphrase that the variable holds, or the one
   * given; with `dryRun` it only says which. Throws `key.*`, `machine.busy`.
   */
  readonly change: (
    to: 'sealed' | 'open',
    how: { readonly passphrase?: string | undefined; readonly dryRun: boolean },
  ) => readonly ShownKey[];
}

/** What is known of a session before its record is in the ledger. */
export interface CapturedSession {
  readonly session: string;
  readonly runtime: string;
  readonly repo: string | undefined;
}

/** The few things on this machine that a command looks at or changes beside the pipeline. */
export interface Local {
  /** The repo of a folder, as capture would name it; unless it `names`, an id is only found, never given. */
  readonly repoOf: (folder: string, how?: { readonly names: boolean }) => string | undefined;
  /** Where a file, there or not, belongs: the repo, and its path from the top of the checkout. */
  readonly placeOf: (file: string) => { readonly repo: string; readonly path: string } | undefined;
  readonly editSettings: (
    runtime: string,
    edit: 'install' | 'uninstall',
    dryRun: boolean,
  ) => SettingsEdit;
  /** The same of the file in which a runtime registers MCP servers. */
  readonly editServers: Local['editSettings'];
  readonly installed: (runtime: string) => {
    readonly path: string;
    readonly events: readonly string[];
    /** Why they are not run, though they are there. */
    readonly fault: string | null;
  };
  readonly drops: () => readonly {
    readonly at: string;
    readonly event: string;
    readonly code: string;
  }[];
  /** Why the last folder whose `credence.toml` could not be read is not captured. */
  readonly projectFault: () => string | undefined;
  /** The session that the process which started this one runs, if a hook announced it. */
  readonly callingSession: () => { readonly runtime: string; readonly session: string } | undefined;
  /**
   * Records in that session, if there is one, what a command is about to print: before it is printed (law 9). False where
   * there is none, or nothing of it is captured now. Throws where that can't be kept.
   */
  readonly recordShown: (command: string, shown: readonly Injected[]) => boolean;
  /** Records there what its agent is about to work on, for the next sync to tell others. False and throws as above. */
  readonly recordIntents: (announced: Announced) => boolean;
  /** Puts a note into the outbox; answers with its name there. */
  readonly queueHandoff: (draft: HandoffDraft) => string;
  /** Puts a draft into the queue; answers with its name there. */
  readonly queueProposal: (draft: ProposalDraft) => string;
  /** What waits in that queue, and what of it was refused. */
  readonly proposals: () => Pick<Proposals, 'list' | 'refused' | 'unreadable'>;
  /** Asks whoever sits at the terminal; undefined where nobody does. */
  readonly confirm: (question: string) => Promise<boolean | undefined>;
  /** Has syncs look for commits in a checkout, by its top, from the next one on. */
  readonly watchCheckout: (root: string) => void;
  /** A line that a person types; undefined where nobody is at the terminal. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /**
   * The files in which a checkout tells agents what to do, or those at the given paths; what can't be read is left out with a
   * reason. Throws `conventions.checkout`, `conventions.path`.
   */
  readonly conventionFiles: (paths: readonly string[], repo: string | undefined) => WrittenFiles;
  /** A JSON file that the caller named. Throws `file.*`. */
  readonly readJson: (path: string) => unknown;
  readonly queue: () => Queue;
  readonly outbox: () => number;
}

/** What editing a runtime's settings file came to. */
export interface SettingsEdit {
  readonly path: string;
  readonly changed: boolean;
  readonly diff: string;
  readonly backup: string | undefined;
  /** Events in which a line runs our hook beside other commands, or our server's name for another: a person's, and left. */
  readonly shared: readonly string[];
}
