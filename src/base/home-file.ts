/* The small files of a home that are written in one place and read in another. */

/** The fleet that the home joined, in the folder of settings. */
export const PIN_FILE = 'fleet.json';

/** What the hook has to know of the settings. */
export const HOOK_FILE = 'hook.json';

/** How the last pass ended. */
export const LAST_SYNC_FILE = 'last-sync.json';

/** Up to where the home has checked the signatures of its ledger. */
export const MARK_FILE = 'verified.json';
