// The first file of a worker thread: Node.js 20 does not hand its loaders on to workers, so that
// the sources are made readable here again.
import { register } from "tsx/esm/api";

register();
await import("./worker.ts");
