/** Every bound of the product in one place; the unit is part of the name. */
export const LIMIT = {
  /** A hook payload beyond this is captured as unrecognised, with its size. */
  hook_payload_bytes_max: 16 * 1024 * 1024,
  /** One text field of an envelope; the rest is cut with a mark. */
  envelope_text_bytes_max: 256 * 1024,
  /** One line of a transcript; a longer one is skipped and counted. */
  transcript_line_bytes_max: 64 * 1024 * 1024,
  /** A part is cut when its envelopes reach this size as JSON… */
  part_bytes_max: 8 * 1024 * 1024,
  /** …or when its oldest event is this old. */
  part_age_ms_max: 15 * 60_000,
  /** A signed text field. */
  record_text_bytes_max: 65_536,
  /** A signed name, such as an id: far above what captures and rosters give, whatever its normal form takes. */
  record_name_length_max: 2_048,
  /** Items of one list in a record: a part each quarter of an hour for more than a year. */
  record_items_max: 50_000,
  /** A digest inside a session record. */
  digest_bytes_max: 8 * 1024,
  /** One item of the inbox; a larger one is refused whole. */
  inbox_item_bytes_max: 64 * 1024 * 1024,
  /** Entries in one commit. */
  commit_entries_max: 1_000,
  /** A commit takes no further item of the inbox when those in it reach this size: with the last one it can be read. */
  commit_bytes_max: 8 * 1024 * 1024,
  /** What a host says of its running sessions, or of the files they edit: above what a whole list takes. */
  live_bytes_max: 32 * 1024 * 1024,
  /** A bundle, a line of it, and its lines: what is read of a file that somebody else made. */
  bundle_bytes_max: 128 * 1024 * 1024,
  bundle_line_bytes_max: 1024 * 1024,
  bundle_lines_max: 100_000,
  /** Records that one record of an import carries, and the canonical JSON of its body. */
  import_records_max: 1_000,
  import_bytes_max: 1024 * 1024,
  /** Any object of a store; whoever reads one takes no more. */
  object_bytes_max: 256 * 1024 * 1024,
  /** A record dated further ahead of the commit waits… */
  future_ms_max: 300_000,
  /** …and beyond this it is rejected. */
  future_reject_ms: 24 * 3_600_000,
  /** How long after its date a record waits for what it names: twice what an item may be late. */
  reference_wait_ms: 60 * 24 * 3_600_000,
  /** A small file that the hook reads whole: a git config, a briefing. */
  hook_file_bytes_max: 4 * 1024 * 1024,
  /** `live.json`, which a hook reads before each edit. */
  live_json_bytes_max: 1024 * 1024,
  /** A briefing, whatever it holds: Claude Code cuts hook output at 10,000 characters. */
  briefing_bytes_max: 9_500,
  /** What one reply of an MCP tool puts before an agent, as text; it stands there a second time as data. */
  mcp_reply_bytes_max: 6_000,
} as const;
