// A QR code, drawn here: a secret goes to no other service.
import makeQrCode from "qrcode-generator";
import styles from "./profile.module.css";

const quietZone = 4;

export function QrCode({ text, name }: { readonly text: string; readonly name: string }) {
  const code = makeQrCode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const modules: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (code.isDark(row, column)) modules.push(`M${column + quietZone} ${row + quietZone}h1v1h-1z`);
    }
  }
  const size = count + 2 * quietZone;
  return (
    <svg
      role="img"
      aria-label={name}
      className={styles["qr"]}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={modules.join("")} fill="#000" />
    </svg>
  );
}
