// Creates a session id that no server issued, in the form of an issued one, because some servers check only the form.

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** A prefix such as "mcp-session-". */
const words = /^(?:[A-Za-z]+[-_:.])+(?=.{8})/;

export function toForeignId(issued: string | undefined): string {
  if (issued === undefined) return crypto.randomUUID();
  if (uuid.test(issued)) return issued.replace(uuid, crypto.randomUUID());
  const prefix = words.exec(issued)?.[0] ?? "";
  const isHex = /^[0-9a-f]+$/i.test(issued.slice(prefix.length));
  return prefix + issued.slice(prefix.length).replace(/[A-Za-z0-9]/g, (character) => otherOf(character, isHex));
}

/** A different character of the same kind. */
function otherOf(character: string, isHex: boolean): string {
  const kind = /\d/.test(character)
    ? "0123456789"
    : /[a-z]/.test(character)
      ? "abcdefghijklmnopqrstuvwxyz"
      : "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const choice = isHex && !/\d/.test(character) ? kind.slice(0, 6) : kind;
  const others = choice.replace(character, "");
  return others[(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % others.length] ?? character;
}
