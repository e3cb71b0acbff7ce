// Why the OpenAPI documents of a configuration cannot be served. Documents at a URL are read when the gateway starts, not here.
import type { GatewayConfig, OpenApiUpstream } from "@lethe/gateway";

/** What is wrong with the document of one server. */
export interface DocumentProblem {
  /** The name of the server. */
  readonly name: string;
  /** A sentence that names the document. */
  readonly problem: string;
}

/** Reads all documents in files, and returns those that cannot be served. */
export async function findDocumentProblems({ upstreams }: GatewayConfig): Promise<DocumentProblem[]> {
  const isInFile = ({ document }: OpenApiUpstream): boolean => !/^https?:/i.test(document);
  const inFiles = upstreams.filter((upstream) => upstream.kind === "openapi").filter(isInFile);
  if (inFiles.length === 0) return [];
  const [{ openapi }, { readSpec }] = await Promise.all([import("@lethe/openapi"), import("@lethe/openapi/node")]);
  const problems: DocumentProblem[] = [];
  for (const { name, document, api } of inFiles) {
    try {
      openapi(await readSpec(document), api);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      problems.push({ name, problem: code === "ENOENT" ? `there is no file ${document}` : `${document}: ${message}` });
    }
  }
  return problems;
}
