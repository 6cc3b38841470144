/** Runs discovery of the official SDK in its own thread, so that the compiler optimizes each side separately. */
import { parentPort } from "node:worker_threads";
import {
  Client,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { measureSlowest } from "./slowest.ts";

parentPort!.on("message", async ({ url, count }: { url: string; count: number }) => {
  parentPort!.postMessage(await measureSlowest(count, () => discoverWithSdk(url)));
});

/** Connects as users of the SDK do, and where it is refused it follows the SDK's own authorization discovery. */
async function discoverWithSdk(url: string): Promise<void> {
  let resourceMetadataUrl: URL | undefined;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 401)
        resourceMetadataUrl = extractWWWAuthenticateParams(response).resourceMetadataUrl;
      return response;
    },
  });
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(transport);
    await client.listTools();
    await transport.terminateSession();
  } catch {
    await discoverOAuthServerInfo(url, resourceMetadataUrl ? { resourceMetadataUrl } : {}).catch(
      () => undefined,
    );
  } finally {
    await client.close();
  }
}
