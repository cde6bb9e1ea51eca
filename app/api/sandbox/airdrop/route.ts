import { airdropContract } from "@/lib/contracts/airdrop";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { airdrop } from "@/lib/services/airdrop";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(airdrop, airdropContract));
