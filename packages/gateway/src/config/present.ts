// Settings without the members that nobody set: absent is absent, and not undefined.

export function present<T extends object>(members: { [K in keyof T]-?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
