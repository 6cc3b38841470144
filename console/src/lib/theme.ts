import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const key = "signalbox.theme";
const listeners = new Set<() => void>();

const readTheme = (): Theme => {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
};

/** `public/theme.js` applies the same choice before the first paint. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(key);
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem(key, theme);
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);
