import { encode } from "uqr";

/** Black on white in both themes, because cameras expect that. */
export function PageQrCode({ url }: { url: string }) {
  const { data, size } = encode(url, { border: 2 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      role="img"
      aria-label={`QR code of ${url}`}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-40 shrink-0 rounded-lg bg-white"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
