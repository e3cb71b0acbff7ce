// Orders the messages of a conversation by the client request that they belong to. Concurrent calls may interleave differently in each
// run, so the messages of one call stay together.
import { isJsonObject, type JsonObject, metaKey } from "@lethe/protocol";
import type { WireMessage } from "./wire-log.ts";

/** One message with the numbers that stand for its ids: a connection may use an id again, and ids may differ from run to run. */
export interface GroupedMessage extends WireMessage {
  /** The request or question that the message is or answers: "request 3". Absent for notifications. */
  readonly label?: string;
  /** The request that a notification names by its id: the cancelled one, or the one of a subscription. */
  readonly named?: string;
}

interface Group {
  readonly label: string;
  readonly messages: GroupedMessage[];
  isOpen: boolean;
}

export function groupMessages(messages: readonly WireMessage[]): GroupedMessage[] {
  const grouping = new Grouping();
  for (const entry of messages) grouping.add(entry);
  return grouping.groups.flatMap((group) => group.messages);
}

class Grouping {
  readonly groups: Group[] = [];
  /** By the id of the request. A later request takes the place of an earlier one. */
  readonly #byId = new Map<unknown, Group>();
  readonly #byToken = new Map<unknown, Group>();
  /** The server's requests, by id. */
  readonly #questions = new Map<unknown, { readonly group: Group | undefined; readonly label: string }>();
  #questionCount = 0;
  #requestCount = 0;

  add(entry: WireMessage): void {
    const { sender, message } = entry;
    if (message.method === undefined) this.#addResponse(entry);
    else if (message.id === undefined) this.#addNotification(entry);
    else if (sender === "client") this.#addRequest(entry);
    else this.#addQuestion(entry);
  }

  #addRequest(entry: WireMessage): void {
    this.#requestCount += 1;
    const label = `request ${this.#requestCount}`;
    const group: Group = { label, messages: [{ ...entry, label }], isOpen: true };
    this.groups.push(group);
    this.#byId.set(entry.message.id, group);
    const token = memberOf(memberOf(entry.message.params, "_meta"), "progressToken");
    if (token !== undefined) this.#byToken.set(token, group);
  }

  #addQuestion(entry: WireMessage): void {
    this.#questionCount += 1;
    const label = `question ${this.#questionCount}`;
    const group = this.#openGroup();
    this.#questions.set(entry.message.id, { group, label });
    this.#put(group, { ...entry, label });
  }

  #addResponse(entry: WireMessage): void {
    const { sender, message } = entry;
    if (sender === "client") {
      const question = this.#questions.get(message.id);
      this.#put(question?.group, question ? { ...entry, label: question.label } : entry);
      return;
    }
    const group = this.#byId.get(message.id);
    this.#put(group, group ? { ...entry, label: group.label } : entry);
    if (group) group.isOpen = false;
  }

  #addNotification(entry: WireMessage): void {
    const { params } = entry.message;
    const subscription = memberOf(memberOf(params, "_meta"), metaKey.subscriptionId);
    const id = subscription ?? memberOf(params, "requestId");
    const question = entry.sender === "server" ? this.#questions.get(id) : undefined;
    const target = id === undefined ? undefined : this.#byId.get(id);
    const named = question?.label ?? target?.label;
    const byToken = this.#byToken.get(memberOf(params, "progressToken"));
    const open = entry.sender === "server" ? this.#openGroup() : undefined;
    this.#put(question?.group ?? target ?? byToken ?? open, named === undefined ? entry : { ...entry, named });
  }

  /** A message without evidence belongs to the oldest request that is still open. */
  #openGroup(): Group | undefined {
    return this.groups.find(({ isOpen }) => isOpen);
  }

  #put(group: Group | undefined, message: GroupedMessage): void {
    if (group) group.messages.push(message);
    else this.groups.push({ label: "", messages: [message], isOpen: false });
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? (value as JsonObject)[name] : undefined;
}
