// Parts of the console that are loaded when they are first shown, or a little before.
import { lazy, useState, type ComponentType, type FunctionComponent } from "react";
import { isLost } from "../api/connection.ts";
import { reloadForPart } from "../api/lost-part.ts";

export type Later<Props> = FunctionComponent<Props> & {
  /**
   * Loads it ahead, if the gateway is there. Where that fails, it is loaded again when it is shown:
   * not every browser tries what has failed once more before the page is reloaded.
   */
  readonly load: () => void;
};

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): Later<Props> {
  let there: ComponentType<Props> | undefined;
  let isOnItsWay = false;
  const Lazy = lazy(async () => ({ default: await loadOrReload(load) }));
  // React shows the part of `lazy` at the earliest 300 ms after what stands in for it, even if its
  // code is there.
  function Part(props: Props) {
    const [Shown] = useState(() => there ?? Lazy);
    return <Shown {...props} />;
  }
  return Object.assign(Part, {
    load: () => {
      if (there !== undefined || isOnItsWay || isLost()) return;
      isOnItsWay = true;
      void load().then(
        (part) => (there = part),
        () => (isOnItsWay = false),
      );
    },
  });
}

async function loadOrReload<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    void reloadForPart();
    throw error;
  }
}
