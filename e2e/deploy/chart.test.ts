// Renders the Helm chart with Helm, and validates each manifest with kubeconform by the schemas of Kubernetes and the Prometheus Operator.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { runLetheWith } from "../processes/lethe.ts";
import { installChartTools, kubernetesVersions } from "../programs/chart-tools.ts";
import { type ChartValues, required, variations } from "./testing/chart-values.ts";

const run = promisify(execFile);
const chart = fileURLToPath(new URL("../../deploy/helm/lethe", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lethe-chart-"));
afterAll(() => rmSync(folder, { recursive: true }));

const tools = await installChartTools();
const { helm, kubeconform, schemas } =
  tools.reason === undefined ? tools : { helm: "", kubeconform: "", schemas: tools.reason };
const [oldest = "", newest = ""] = kubernetesVersions;

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
type Manifest = any;

let files = 0;
function write(text: string): string {
  files += 1;
  const file = join(folder, `${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

async function render(values: ChartValues, version: string): Promise<string> {
  const file = write(JSON.stringify(values));
  const { stdout } = await run(helm, ["template", "mcp", chart, "--values", file, "--kube-version", version]);
  return stdout;
}

async function manifestsOf(values: ChartValues): Promise<Manifest[]> {
  const documents = parseAllDocuments(await render(values, newest));
  return documents.map((document) => document.toJS()).filter((manifest) => manifest !== null);
}

function find(manifests: readonly Manifest[], kind: string, name = "mcp-lethe"): Manifest {
  return manifests.find(({ kind: own, metadata }) => own === kind && metadata.name === name);
}

interface Validation {
  readonly problems: readonly string[];
  readonly summary: { valid: number; invalid: number; errors: number; skipped: number };
}

async function validate(text: string, version: string): Promise<Validation> {
  const location = join(schemas, `v${version}-{{.ResourceKind}}{{.KindSuffix}}.json`);
  const args = ["-strict", "-summary", "-output", "json", "-schema-location", location];
  // The exit code is 1 if a manifest is invalid. The report says which.
  const { stdout } = await run(kubeconform, [...args, write(text)]).catch((error) => error as { stdout: string });
  const { resources, summary } = JSON.parse(stdout);
  return { problems: resources.map(({ kind, msg }: Record<string, string>) => `${kind}: ${msg}`), summary };
}

const failureOf = (rendering: Promise<unknown>): Promise<string> =>
  rendering.then(
    () => "no failure",
    ({ stderr }: { stderr: string }) => stderr,
  );

const skipped = tools.reason === undefined ? "" : ` (skipped: ${tools.reason})`;

describe.skipIf(skipped)(`the chart${skipped}`, () => {
  it.each(variations)(
    "$name: Helm finds nothing to improve, and every manifest is valid",
    async ({ values, kinds }) => {
      await run(helm, ["lint", "--strict", chart, "--values", write(JSON.stringify(values))]);
      for (const version of kubernetesVersions) {
        const text = await render(values, version);
        const found = parseAllDocuments(text).flatMap((document) => document.toJS()?.kind ?? []);
        expect(found.sort(), version).toEqual([...kinds].sort());
        expect(await validate(text, version)).toEqual({
          problems: [],
          summary: { valid: kinds.length, invalid: 0, errors: 0, skipped: 0 },
        });
      }
    },
  );

  it("has a variation for each part that can be turned on or off", () => {
    const defaults = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as Manifest;
    const parts = Object.keys(defaults).filter((part) => defaults[part]?.enabled !== undefined);
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      const turned = variations.filter(({ values }) => (values as Manifest)[part]?.enabled === !defaults[part].enabled);
      expect(turned, part).not.toEqual([]);
    }
  });

  it("a misspelt field and a wrong type in a manifest are found", async () => {
    const text = (await render(required, oldest)).replaceAll("path: /healthz", "paht: /healthz");
    const { problems } = await validate(text.replace("containerPort: 3000", "containerPort: mcp"), oldest);
    expect(problems).toEqual([expect.stringMatching(/^Deployment: /)]);
    // In any order.
    expect(problems[0]).toContain("'paht' not allowed");
    expect(problems[0]).toContain("got string, want integer");
  });

  it("without a key for the replicas and for a misspelt value, Helm fails and says why", async () => {
    const { secret, ...keyless } = required;
    expect(await failureOf(render(keyless, newest))).toContain("secret.values.LETHE_KEYS is missing");
    expect(await failureOf(render({ ...required, replica: 2 }, newest))).toMatch(/replica/);
    expect(await failureOf(render(required, "1.26.0"))).toContain("chart requires kubeVersion");
  });

  it("the gateway finds no problem in its configuration, which has the ports of the probes and services", async () => {
    const manifests = await manifestsOf(required);
    const config = join(folder, "servers.json");
    writeFileSync(config, find(manifests, "ConfigMap").data["servers.json"]);
    const { stdout } = await runLetheWith({}, "gateway", "check", "--config", config, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
    const { gateway } = JSON.parse(readFileSync(config, "utf8"));
    const { containers } = find(manifests, "Deployment").spec.template.spec;
    const ports = { mcp: gateway.port, operator: gateway.admin.port };
    expect(containers[0].ports).toEqual(
      Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort })),
    );
    const targets = [find(manifests, "Service"), find(manifests, "Service", "mcp-lethe-operator")];
    expect(targets.map(({ spec }) => spec.ports[0].targetPort)).toEqual(Object.keys(ports));
  });

  it("a changed configuration restarts the replicas, and the autoscaler alone decides on their number", async () => {
    const before = find(await manifestsOf(required), "Deployment").spec;
    const config = { ...required.config, gateway: { keepAliveMs: 2_000 } };
    const values = { ...required, config, autoscaling: { enabled: true } };
    const manifests = await manifestsOf(values);
    const { spec } = find(manifests, "Deployment");
    const checksum = "checksum/config";
    expect(spec.template.metadata.annotations[checksum]).not.toBe(before.template.metadata.annotations[checksum]);
    expect([before.replicas, spec.replicas]).toEqual([3, undefined]);
    expect(find(manifests, "HorizontalPodAutoscaler").spec.scaleTargetRef).toMatchObject({ name: "mcp-lethe" });
  });

  it("the budget, the network policy and the services select the pods, and the monitor selects the service of operators", async () => {
    const manifests = await manifestsOf({ ...required, serviceMonitor: { enabled: true } });
    const { labels } = find(manifests, "Deployment").spec.template.metadata;
    const service = find(manifests, "Service", "mcp-lethe-operator");
    const selectors = [
      find(manifests, "PodDisruptionBudget").spec.selector.matchLabels,
      find(manifests, "NetworkPolicy").spec.podSelector.matchLabels,
      find(manifests, "Service").spec.selector,
      service.spec.selector,
    ];
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    const { selector, endpoints } = find(manifests, "ServiceMonitor").spec;
    expect(service.metadata.labels).toMatchObject(selector.matchLabels);
    expect(find(manifests, "Service").metadata.labels).not.toMatchObject(selector.matchLabels);
    expect(endpoints).toMatchObject([{ port: service.spec.ports[0].name, path: "/metrics" }]);
  });

  it("a secret that exists replaces that of the chart", async () => {
    const manifests = await manifestsOf({ config: required.config, secret: { existing: "lethe-keys" } });
    expect(find(manifests, "Secret")).toBeUndefined();
    const [{ envFrom }] = find(manifests, "Deployment").spec.template.spec.containers;
    expect(envFrom).toEqual([{ secretRef: { name: "lethe-keys" } }]);
  });
});
