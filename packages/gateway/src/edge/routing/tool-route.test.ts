import { describe, expect, it } from "vitest";
import { mergeCatalogs } from "../../catalog/merge-catalogs.ts";
import { partOf, toolOf } from "../../testing/catalogs.ts";
import { requestOf } from "../../testing/fakes.ts";
import { resolveTool } from "./tool-route.ts";

const ui = (resourceUri: string) => ({ _meta: { ui: { resourceUri } } });
const forModels = { _meta: { ui: { visibility: ["model"] } } };
const resource = (uri: string) => ({ uri, name: uri });

const catalog = mergeCatalogs([
  partOf("mon", {
    tools: [toolOf("show", ui("ui://mon/a.html")), toolOf("poll"), toolOf("both"), toolOf("secret", forModels)],
    resources: [resource("ui://mon/a.html")],
  }),
  partOf("bank", {
    tools: [toolOf("pay", ui("ui://bank/pay.html")), toolOf("both")],
    resources: [resource("ui://bank/pay.html")],
  }),
  partOf("plain", { tools: [toolOf("lone")] }),
]);
const everyone = () => true;

const resolve = (name: string, meta: object = {}, mayCall: (upstream: string) => boolean = everyone) =>
  resolveTool(catalog, requestOf("tools/call", { name }, { meta: { ...meta } }), mayCall);

describe("the tool that a call means", () => {
  it("is that of the public name, or of the own name that one server with apps has", () => {
    expect(resolve("mon__poll")).toMatchObject({ upstream: "mon", name: "poll" });
    expect(resolve("poll")).toMatchObject({ upstream: "mon", name: "poll" });
  });

  it("is none for an own name that several servers have, and the error names their tools", () => {
    expect(() => resolve("both")).toThrow(
      "ambiguous tool: both: several servers have it: call mon__both or bank__both",
    );
    expect(resolve("both", {}, (upstream) => upstream === "bank")).toMatchObject({ upstream: "bank" });
  });

  it("is none for a server without apps, and for a tool that reserves itself for models", () => {
    expect(resolve("lone")).toBeUndefined();
    expect(resolve("secret")).toBeUndefined();
    expect(resolve("mon__secret")).toMatchObject({ name: "secret" });
  });

  it("belongs to the server of the app that the request names", () => {
    const app = ui("ui://bank+bank/pay.html")._meta;
    expect(resolve("both", app)).toMatchObject({ upstream: "bank" });
    expect(resolve("bank__pay", app)).toMatchObject({ upstream: "bank" });
    expect(resolve("mon__show", app)).toBeUndefined();
    expect(resolve("poll", app)).toBeUndefined();
  });

  it("is not decided by a URI that names no server", () => {
    expect(resolve("poll", ui("ui://bank/pay.html")._meta)).toMatchObject({ upstream: "mon" });
    expect(() => resolve("both", ui("ui://unknown+x")._meta)).toThrow("ambiguous tool");
  });
});
