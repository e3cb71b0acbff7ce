// The options that status, top and tail have in common.
import type { Command } from "commander";
import { AdminClient, defaultGatewayUrl } from "../admin/admin-client.ts";

export interface AdminOptions {
  adminKey?: string;
  json?: boolean;
}

export const adminEnvironmentHelp = `
Environment:
  LETHE_ADMIN_KEY  like --admin-key, but not visible in the list of processes`;

export function withAdminOptions(command: Command): Command {
  return command
    .argument("[url]", `the gateway (default: ${defaultGatewayUrl})`)
    .option("--admin-key <key>", "the key of gateway.admin.key")
    .option("--json", "print JSON");
}

export function createAdminClient(url: string | undefined, { adminKey }: AdminOptions): AdminClient {
  const key = adminKey ?? process.env.LETHE_ADMIN_KEY;
  return new AdminClient({ url: url ?? defaultGatewayUrl, key: key === "" ? undefined : key });
}
