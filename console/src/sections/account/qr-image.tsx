import { useMemo } from "react";
import { createQrCode } from "../../lib/qr-code.ts";

/** A QR code as one path. It is black on white in both themes, because many readers need that. */
export function QrImage({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const code = createQrCode(text);
    const squares = code.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")));
    return { path: squares.join(""), size: code.length };
  }, [text]);
  return (
    <svg className="qr" viewBox={`-1 -1 ${size + 2} ${size + 2}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
