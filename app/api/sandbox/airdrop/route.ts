import { airdropContract } from "@/lib/contracts/airdrop";
import { route, routes } from "@/lib/http/route";
import { airdrop } from "@/lib/services/airdrop";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(airdrop, airdropContract));
