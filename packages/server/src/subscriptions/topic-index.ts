// The streams of each topic, so that a change does not scan all streams.

export interface TopicIndex<S extends { readonly topics: readonly string[] }> {
  audience(topic: string): Iterable<S> | undefined;
  add(stream: S): void;
  remove(stream: S): void;
}

export function createTopicIndex<S extends { readonly topics: readonly string[] }>(): TopicIndex<S> {
  const byTopic = new Map<string, Set<S>>();
  return {
    audience: (topic) => byTopic.get(topic),
    add(stream) {
      for (const topic of stream.topics) {
        const audience = byTopic.get(topic);
        if (audience) audience.add(stream);
        else byTopic.set(topic, new Set([stream]));
      }
    },
    remove(stream) {
      for (const topic of stream.topics) {
        const audience = byTopic.get(topic);
        if (audience?.delete(stream) && audience.size === 0) byTopic.delete(topic);
      }
    },
  };
}
