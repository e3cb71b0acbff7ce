// Removes undefined members, so that an unset setting is absent.

export function present<T extends object>(members: { [K in keyof T]-?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
