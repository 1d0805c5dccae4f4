// The settings of the whole service, and its staff.
import { staffRoles } from "../credentials/abilities.ts";
import { choice, list, orNone, string, whole, yesNo } from "./field.ts";

const systemLine = string(20, "lineNumber", { refersTo: "lines" });
const words = list(string(200, "word"), 10_000, { note: "Absent: the usual ones." });
const mostDays = 36_500;

export const settingsFields = {
  service: orNone({ ...systemLine, within: { key: "systemLines", as: "service" }, column: "system_service_line" }),
  advertising: orNone({
    ...systemLine,
    within: { key: "systemLines", as: "advertising" },
    column: "system_advertising_line",
  }),
  retentionDays: whole(1, mostDays, { default: 400, column: "retention_days" }),
  timeZone: string(100, "timeZone", {
    default: "Asia/Tehran",
    column: "time_zone",
    note: "Of the days of reports and limits, such as Asia/Tehran.",
  }),
  calendar: choice(["jalali", "gregorian"], { default: "jalali", column: "calendar" }),
  eventDays: orNone(whole(1, 90, { column: "event_days", note: "Absent: 30, or retentionDays where that is less." })),
  contentDays: whole(0, mostDays, { default: 0, column: "content_days", note: "0: as long as the message." }),
  codeContentHours: whole(0, 24 * mostDays, {
    default: 0,
    column: "code_content_hours",
    note: "0: as long as the message.",
  }),
  optOutStop: orNone({ ...words, within: { key: "optOutWords", as: "stop" }, column: "opt_out_stop" }),
  optOutResume: orNone({ ...words, within: { key: "optOutWords", as: "resume" }, column: "opt_out_resume" }),
  optOutNotice: orNone(string(100, "notice", { column: "opt_out_notice" })),
  customerNote: orNone(
    string(2_000, "sendable", { column: "customer_note", note: "What customers read on their first page." }),
  ),
  staffSecondFactor: choice(["optional", "required"], { default: "optional", column: "staff_second_factor" }),
};

export const staffFields = {
  password: string(400, "secret", { secret: true }),
  role: choice(staffRoles),
  enabled: yesNo({ default: true }),
};
