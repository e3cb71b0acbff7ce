// Helm, kubeconform and the schemas that they need, each from a registry of packages: the Go module proxy and PyPI.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installIn, installOnce, installWith } from "./install.ts";
import { type Json, toSchema, toSchemaOfCustomResource } from "./kubernetes-schemas.ts";

/** Other versions may write and accept other manifests. */
const programs = ["helm.sh/helm/v3/cmd/helm@v3.22.0", "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"];
/** Contains the schemas of each minor release of Kubernetes. */
const wheel = "kubernetes-validate==1.37.0";
/** Contains the definitions of ServiceMonitor and PrometheusRule. */
const operator = "github.com/prometheus-operator/prometheus-operator@v0.85.0";

/** The oldest version that the chart accepts, and the newest one with schemas. */
export const kubernetesVersions: readonly string[] = ["1.27.0", "1.37.0"];

const kinds = [
  ...["configmap-v1", "secret-v1", "service-v1", "deployment-apps-v1", "poddisruptionbudget-policy-v1"],
  ...["horizontalpodautoscaler-autoscaling-v2", "ingress-networking-v1", "networkpolicy-networking-v1"],
];
const customKinds = ["servicemonitor", "prometheusrule"];

export type ChartTools =
  | { readonly helm: string; readonly kubeconform: string; readonly schemas: string; readonly reason?: undefined }
  | { readonly reason: string };

/** Without Go, Python or their registries, the outcome says which one is missing. */
export async function installChartTools(): Promise<ChartTools> {
  const pins = [...programs, wheel, operator, ...kubernetesVersions, ...kinds, ...customKinds];
  const installed = await installOnce("chart-tools", pins, async (folder) => {
    // Without symbols, linking takes half the time.
    await installIn({ GOBIN: folder }, "go", "install", "-ldflags=-s -w", ...programs.slice(0, 1));
    await installIn({ GOBIN: folder }, "go", "install", "-ldflags=-s -w", ...programs.slice(1));
    const libraries = join(folder, "python");
    const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", libraries];
    await installWith("python3", ...pip, wheel);
    const module = JSON.parse(await installWith("go", "mod", "download", "-json", operator)) as { Dir: string };
    await writeSchemas(join(libraries, "kubernetes_validate/kubernetes-json-schema"), folder);
    // All releases and their duplicates: 170 MB.
    await rm(libraries, { recursive: true });
    await writeCustomSchemas(join(module.Dir, "jsonnet/prometheus-operator"), folder);
  });
  if (installed.reason !== undefined) return installed;
  const { folder } = installed;
  return { helm: join(folder, "helm"), kubeconform: join(folder, "kubeconform"), schemas: folder };
}

async function readJson(file: string): Promise<Json> {
  return JSON.parse(await readFile(file, "utf8"));
}

async function writeSchemas(source: string, folder: string): Promise<void> {
  for (const version of kubernetesVersions) {
    const own = join(source, `v${version}-local-strict`);
    const { $defs } = await readJson(join(own, "_definitions.json"));
    for (const kind of kinds) {
      const schema = toSchema(await readJson(join(own, `${kind}.json`)), $defs as Json);
      await writeFile(join(folder, `v${version}-${kind}.json`), JSON.stringify(schema));
    }
  }
}

async function writeCustomSchemas(source: string, folder: string): Promise<void> {
  for (const kind of customKinds) {
    const definition = JSON.parse(await readFile(join(source, `${kind}s-crd.json`), "utf8"));
    const schema = JSON.stringify(toSchemaOfCustomResource(definition));
    for (const version of kubernetesVersions) {
      await writeFile(join(folder, `v${version}-${kind}-monitoring-v1.json`), schema);
    }
  }
}
