/** What a tool does, whatever its runtime calls it. */
export type ToolKind = 'read' | 'edit' | 'shell' | 'other';

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  read_file: 'read',
  notebookread: 'read',
  edit: 'edit',
  multiedit: 'edit',
  write: 'edit',
  notebookedit: 'edit',
  edit_file: 'edit',
  write_file: 'edit',
  bash: 'shell',
  shell: 'shell',
  terminal: 'shell',
  powershell: 'shell',
};

/** The kind of a tool by its name; names that are not known are `other`. */
export function toolKind(name: string | undefined): ToolKind {
  const key = name?.toLowerCase() ?? '';
  return Object.hasOwn(KINDS, key) ? (KINDS[key] ?? 'other') : 'other';
}
