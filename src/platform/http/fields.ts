import { z } from "zod";

/** A name that people gave to something. One line: it is shown in lists and goes into mails. */
export const lineOfText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), "Use one line, without control characters.");
