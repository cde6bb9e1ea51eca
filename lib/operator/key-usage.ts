import { type KeyUsage, sumUsage, toUsageDay } from "../domain/key-usage";
import { STORE_KEYS } from "../domain/store-keys";
import { DAY_MS } from "../domain/time";
import { type ServiceStore, withStore } from "./store";
import { renderTable } from "./table";

/**
 * Prints the calls of each static key by UTC day, newest day first. The service writes its counts every ten seconds.
 * @param now ms since the epoch
 * @throws {OperatorFailure} when the store cannot be read
 */
export async function printKeyUsage(
  service: ServiceStore,
  { days, isJson, now }: { days: number; isJson: boolean; now: number },
  print: (text: string) => void,
): Promise<void> {
  const dayNames = Array.from({ length: days }, (_, i) => toUsageDay(now - i * DAY_MS));
  const records = await withStore(service, "read", (store) =>
    store.getMany<KeyUsage>(dayNames.map((day) => STORE_KEYS.keyUsage.toKey(day))),
  );
  const usage = dayNames.map((day, i) => ({ day, calls: records[i] ?? {} }));
  if (isJson) return print(JSON.stringify(usage));

  const keyNames = Object.keys(sumUsage(...usage.map(({ calls }) => calls))).sort();
  if (keyNames.length === 0) return print(`No static key was used in the last ${days} days.`);
  const rows = usage.map(({ day, calls }) => [
    day,
    ...keyNames.map((name) => String(Object.hasOwn(calls, name) ? calls[name] : 0)),
  ]);
  print(renderTable(["Day", ...keyNames], rows));
}
