// How many cores this process may use: those of the machine, or fewer where a container has a share
// of CPU time. Node.js 20 does not see that share by itself.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";

/**
 * At least 1. `root` is where the control groups are mounted (Linux; cgroup v2 `cpu.max`, v1
 * `cpu.cfs_quota_us`). As a container sees them: groups above it that are narrower are not found.
 */
export function usableCores(root = "/sys/fs/cgroup", cores = availableParallelism()): number {
  const share = shareOfVersion2(root) ?? shareOfVersion1(root);
  return share === undefined ? cores : Math.max(1, Math.min(cores, Math.ceil(share)));
}

/** "200000 100000": microseconds of CPU time in each period; "max 100000": no limit. */
function shareOfVersion2(root: string): number | undefined {
  const [quota, period] = numbersIn(path.join(root, "cpu.max"));
  return quotient(quota, period);
}

/** -1: no limit. */
function shareOfVersion1(root: string): number | undefined {
  const [quota] = numbersIn(path.join(root, "cpu", "cpu.cfs_quota_us"));
  const [period] = numbersIn(path.join(root, "cpu", "cpu.cfs_period_us"));
  return quotient(quota, period);
}

function quotient(quota: number | undefined, period: number | undefined): number | undefined {
  if (quota === undefined || period === undefined) return undefined;
  return quota > 0 && period > 0 ? quota / period : undefined;
}

/** Empty if there is no such file. A word is NaN, which no comparison holds for. */
function numbersIn(file: string): readonly number[] {
  try {
    return readFileSync(file, "utf8").trim().split(/\s+/).map(Number);
  } catch {
    return [];
  }
}
