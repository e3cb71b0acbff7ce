// The event stream of a route, over an HTTP request.
import type { HttpCall } from "./http-call.ts";
import type { RouteStream } from "./route.ts";

export function toRouteStream(call: HttpCall): RouteStream {
  call.onAbort(() => call.endStream());
  return {
    get bufferedBytes() {
      return call.io.bufferedBytes;
    },
    send: (text) => void call.send(text),
    drained: () => call.drained(),
    onAbort: (callback) => call.onAbort(callback),
    end: () => call.endStream(),
  };
}
