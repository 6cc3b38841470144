import { useServices } from "./context.tsx";

/** Returns a function that ends the session and opens the sign-in. */
export function useSignOut(): () => Promise<void> {
  const { api } = useServices();
  return async () => {
    await api.request("POST /api/auth/sign-out", {}, { asks: false }).catch(() => {});
    // A full load, so that nothing of the session stays in memory.
    window.location.assign("/sign-in");
  };
}
