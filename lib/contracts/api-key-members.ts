import { z } from "zod";
import { Address, Timestamp } from "./scalars";

/** What may be shown of a key, again and again. */
export const apiKeyMembers = {
  id: z.string(),
  wallet: Address,
  name: z.string().nullable(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
};
