// A store as a process sees it that dies at a certain point.
import type { TaskStore } from "../task-store.ts";
import { wrapStore } from "./wrap-store.ts";

const never = new Promise<never>(() => {});

/** The store as a process sees it that dies with its nth write: it is written, and nothing happens there any more. */
export function mortal(store: TaskStore, dies: { atWrite: number }): TaskStore & { isDead(): boolean } {
  let writes = 0;
  const isDead = () => writes >= dies.atWrite;
  const unlessDead =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>, isWrite = false) =>
    async (...args: A): Promise<R> => {
      if (isDead()) return never;
      const result = await act(...args);
      if (isWrite && result !== undefined) writes += 1;
      return isDead() ? never : result;
    };
  const whole = wrapStore(store, {});
  const mortalStore = wrapStore(store, {
    create: unlessDead(whole.create),
    read: unlessDead(whole.read),
    renew: unlessDead(whole.renew),
    acquire: unlessDead(whole.acquire),
    retire: unlessDead(whole.retire),
    append: unlessDead(whole.append, true),
    update: unlessDead(whole.update, true),
  });
  return { ...mortalStore, isDead };
}
