import type { ComponentProps } from "react";
import { Empty } from "../ui/feedback.tsx";

/** A message in place of all pages, without the frame around them. */
export const WholePage = (props: Omit<ComponentProps<typeof Empty>, "isPage">) => (
  <main id="main">
    <Empty {...props} isPage />
  </main>
);
