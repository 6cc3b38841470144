import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "./styles/index.css";
import { createAppRouter } from "./app/router.tsx";
import { createApi, RefusedError } from "./lib/api.ts";
import { ServicesProvider } from "./lib/context.tsx";
import { createIdentity } from "./lib/identity.ts";
import { ToastProvider } from "./ui/toast.tsx";

const identity = createIdentity();
const services = { identity, api: createApi(window.location.origin, identity) };
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The server may be on this machine or in this network: it answers although the browser says it is offline.
      networkMode: "always",
      // The client repeats requests already. What the server refuses stays refused.
      retry: (failures, error) => !(error instanceof RefusedError) && failures < 2,
    },
  },
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    {/* The Content-Security-Policy allows no style elements. */}
    <CSPProvider disableStyleElements>
      <ServicesProvider value={services}>
        <QueryClientProvider client={queries}>
          <Tooltip.Provider delay={400}>
            <ToastProvider>
              <RouterProvider router={createAppRouter()} />
            </ToastProvider>
          </Tooltip.Provider>
        </QueryClientProvider>
      </ServicesProvider>
    </CSPProvider>
  </StrictMode>,
);
