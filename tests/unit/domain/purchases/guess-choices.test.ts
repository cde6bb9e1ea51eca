import { describe, expect, test } from "vitest";
import { formatDecimal } from "@/lib/domain/money";
import { guessChoices } from "@/lib/domain/purchases/guess-choices";
import { type RowReading, readPurchases } from "@/lib/domain/purchases/read-purchases";
import { parseTable } from "@/lib/domain/purchases/read-table";

/**
 * Invented rows in the shapes of real exports. Behind the arrow stands how the row is read: the amount, or the start of
 * the reason why it is left out. Behind the name stands what the person has to correct, if anything.
 */
const SHAPES = `
# Chase card: purchases have a minus {"currency":"usd"}
Transaction Date,Post Date,Description,Category,Type,Amount,Memo
11/02/2026,11/03/2026,CORNER BAKERY,Food & Drink,Sale,-4.35,           → 4.35
11/04/2026,11/05/2026,Payment Thank You,,Payment,250.00,               → money that came in
11/05/2026,11/06/2026,BOOKSHOP,Shopping,Sale,-37.18,                   → 37.18

# Chase checking: a balance beside the amount {"currency":"usd"}
Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #
DEBIT,11/02/2026,GROCERIES,-52.64,DEBIT_CARD,1200.10,,                 → 52.64
CREDIT,11/03/2026,PAYROLL,2500.00,ACH_CREDIT,3700.10,,                 → Details “CREDIT”
DEBIT,11/04/2026,CINEMA,-24.00,DEBIT_CARD,3676.10,,                    → 24

# Bank of America: a summary above the header, an opening balance below it {"currency":"usd"}
Description,,Summary Amt.
Beginning balance as of 11/01/2026,,"1,900.00"
Total debits,,"-1,104.35"

Date,Description,Amount,Running Bal.
11/01/2026,Beginning balance as of 11/01/2026,,"1,900.00"              → a balance or a total
11/02/2026,"RENT, NOVEMBER","-1,100.00","800.00"                       → 1100
11/03/2026,CORNER BAKERY,"-4.35","795.65"                              → 4.35

# American Express: purchases have no minus, a cell has two lines {"currency":"usd"}
Date,Description,Card Member,Account #,Amount,Extended Details,Reference
11/02/2026,AIRLINE,A READER,-71002,320.50,"SEAT 4A
ROUND TRIP",'320263060000001'                                          → 320.5
11/03/2026,ONLINE PAYMENT,A READER,-71002,-320.50,,'320263070000002'   → money that came in
11/04/2026,LUNCH,A READER,-71002,8.75,,'320263080000003'               → 8.75

# Discover: as many payments as purchases, so the sign is guessed wrong {"currency":"usd","spendingSign":"plain"}
Trans. Date,Post Date,Description,Amount,Category
11/02/2026,11/03/2026,SUPERMARKET,88.20,Supermarkets                   → 88.2
11/04/2026,11/05/2026,INTERNET PAYMENT,-200.00,Payments and Credits    → money that came in

# Citi: pending rows, money in with a minus {"currency":"usd"}
Status,Date,Description,Debit,Credit,Member Name
Pending,11/05/2026,"GAS STATION",55.00,,READER                         → Status “Pending”
Cleared,11/04/2026,"WAREHOUSE, TOWN",62.48,,READER                     → 62.48
Cleared,11/03/2026,"ONLINE PAYMENT",,-62.48,READER                     → money that came in

# Apple Card: the title names dollars
Transaction Date,Clearing Date,Description,Merchant,Category,Type,Amount (USD),Purchased By
11/02/2026,11/03/2026,"COFFEE HOUSE 12",Coffee House,Food,Purchase,3.60,Reader → 3.6
11/03/2026,11/03/2026,"ACH DEPOSIT",Deposit,Payment,Payment,-100.00,Reader → money that came in
11/04/2026,11/05/2026,"PHARMACY 4",Pharmacy,Health,Purchase,12.49,Reader → 12.49

# Wells Fargo: no header {"currency":"usd"}
"11/02/2026","-18.25","*","","BOOKSHOP 0042"                           → 18.25
"11/03/2026","1500.00","*","","PAYROLL"                                → money that came in
"11/04/2026","-6.40","*","","FLOWERS"                                  → 6.4

# Schwab: amounts with a dollar sign
"Date","Status","Type","CheckNumber","Description","Withdrawal","Deposit","RunningBalance"
"11/05/2026","Pending","VISA","","TAXI","$14.00","",""                 → Status “Pending”
"11/04/2026","Posted","ACH","","ELECTRICITY","$1,103.40","","$858.47"  → 1103.4
"11/03/2026","Posted","DEPOSIT","","Deposit","","$20.00","$1,961.87"   → money that came in

# Venmo: a sign before the dollar sign, balances around the rows
Account Statement - (@reader) ,,,,,,,,
Account Activity,,,,,,,,
,ID,Datetime,Type,Status,Note,From,To,Amount (total),Amount (fee),Beginning Balance,Ending Balance
,,,,,,,,,,$12.00,                                                      → no date
,4600000000000000001,2026-11-02T18:04:00,Payment,Complete,Pizza,Reader,A Friend,- $15.15,,, → 15.15
,4600000000000000002,2026-11-03T09:00:00,Payment,Complete,Tickets,A Friend,Reader,+ $24.00,,, → money that came in
,4600000000000000003,2026-11-04T09:00:00,Payment,Pending,Rent,Reader,A Friend,- $400.00,,, → Status “Pending”
,,,,,,,,,,,$20.85                                                      → no date

# Revolut: reverted, declined and pending rows, and two currencies
Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance
CARD_PAYMENT,Current,2026-11-02 08:10:00,2026-11-03 04:00:00,Bakery,-4.35,0.00,USD,COMPLETED,95.65 → 4.35
CARD_PAYMENT,Current,2026-11-02 09:10:00,,Hotel,-210.00,0.00,USD,REVERTED, → State “REVERTED”
CARD_PAYMENT,Current,2026-11-02 10:10:00,,Bar,-9.00,0.00,USD,DECLINED, → State “DECLINED”
CARD_PAYMENT,Current,2026-11-04 10:10:00,,Museum,-12.00,0.00,USD,PENDING, → State “PENDING”
CARD_PAYMENT,Current,2026-11-04 11:10:00,2026-11-05 04:00:00,Café,-3.10,0.00,EUR,COMPLETED,20.00 → in EUR
TOPUP,Current,2026-11-05 12:00:00,2026-11-05 12:00:00,Top-up,50.00,0.00,USD,COMPLETED,145.65 → money that came in

# Wise transfers: a direction instead of a sign
ID,Status,Direction,Created on,Source name,Source amount (after fees),Source currency,Target name,Target currency
CARD-1,COMPLETED,OUT,2026-11-02 10:00:00,Reader,12.40,USD,Bookshop,EUR → 12.4
TRANSFER-2,COMPLETED,IN,2026-11-03 10:00:00,Employer,900.00,USD,Reader,USD → Direction “IN”
CARD-3,CANCELLED,OUT,2026-11-04 10:00:00,Reader,30.00,USD,Shop,USD     → Status “CANCELLED”
CARD-4,COMPLETED,OUT,2026-11-05 10:00:00,Reader,7.00,GBP,Pub,GBP       → in GBP

# PayPal: gross, fee and net
"Date","Time","Time zone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID"
"11/02/2026","10:00:00","PST","Music store","Payment","Completed","USD","-9.99","0.00","-9.99","1A" → 9.99
"11/03/2026","10:00:00","PST","Game store","Payment","Pending","USD","-59.00","0.00","-59.00","1B" → Status “Pending”
"11/04/2026","10:00:00","PST","","Bank Deposit","Completed","USD","9.99","0.00","9.99","1C" → money that came in
"11/05/2026","10:00:00","PST","Map store","Payment","Completed","EUR","-1,020.00","0.00","-1,020.00","1D" → in EUR

# N26: the title names euros, and foreign amounts stand beside them {"currency":"usd"}
"Date","Payee","Account number","Transaction type","Payment reference","Amount (EUR)","Amount (Foreign Currency)","Type Foreign Currency"
"2026-11-02","Bakery","","MasterCard Payment","","-4.35","-5.02","USD" → 4.35
"2026-11-03","Employer","DE00","Income","Salary","1500.00","",""       → money that came in
"2026-11-04","Bookshop","","MasterCard Payment","","-18.25","","EUR"   → 18.25

# DKB: a balance above the header, rows not booked yet, and a total below {"currency":"usd"}
"Girokonto";"DE00 0000, Leserin"
"Kontostand vom 05.11.2026:";"1.234,56 €"
""
"Buchungsdatum";"Wertstellung";"Status";"Zahlungsempfänger*in";"Verwendungszweck";"Umsatztyp";"Betrag (€)"
"05.11.26";"";"Vorgemerkt";"Kino, Köln";"Karten";"Ausgang";"-24,00"    → Status “Vorgemerkt”
"04.11.26";"04.11.26";"Gebucht";"Bäckerei, Köln";"Brötchen, Kaffee";"Ausgang";"-4,35" → 4.35
"03.11.26";"03.11.26";"Gebucht";"Vermieter";"Miete";"Ausgang";"-1.100,00" → 1100
"02.11.26";"02.11.26";"Gebucht";"Firma";"Gehalt";"Eingang";"2.500,00"  → money that came in
"Summe";"";"";"";"";"";"1.371,65"                                      → no date

# Sparkasse: rows not booked yet, named in a column of notes {"currency":"usd"}
"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Beguenstigter/Zahlungspflichtiger";"Betrag";"Waehrung";"Info"
"05.11.26";"05.11.26";"KARTENZAHLUNG";"2026-11-05T12:30";"KINO";"-24,00";"EUR";"Umsatz vorgemerkt" → Info “Umsatz vorgemerkt”
"04.11.26";"04.11.26";"KARTENZAHLUNG";"2026-11-04T09:10";"BUCHLADEN";"-18,25";"EUR";"Umsatz gebucht" → 18.25

# ING (Netherlands): “Af” and “Bij” instead of a sign {"currency":"usd"}
"Datum";"Naam / Omschrijving";"Rekening";"Code";"Af Bij";"Bedrag (EUR)";"Mededelingen";"Saldo na mutatie"
"20261102";"Bakkerij";"NL00";"BA";"Af";"12,34";"Brood";"100,00"        → 12.34
"20261103";"Werkgever";"NL00";"OV";"Bij";"2500,00";"Loon";"2600,00"    → Af Bij “Bij”

# Monzo: a signed amount beside money out and money in {"currency":"usd"}
Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,Local currency,Money Out,Money In
tx_1,02/11/2026,08:14:22,Card payment,Sandwich bar,🥪,Eating out,-4.20,GBP,-4.20,GBP,-4.20, → 4.2
tx_2,03/11/2026,09:00:00,Faster payment,Employer,,Income,1450.00,GBP,1450.00,GBP,,1450.00 → money that came in
tx_3,04/11/2026,19:00:00,Card payment,Cinema,🎬,Entertainment,-11.00,GBP,-11.00,GBP,-11.00, → 11

# Barclays: the list does not name its pounds, so the person says that they are not dollars {"currency":"other"}
Number,Date,Account,Amount,Subcategory,Memo
,02/11/2026,20-00-00 00000000,-10.99,PAYMENT,FILM CLUB ON 01 NOV       → not in US dollars
,03/11/2026,20-00-00 00000000,2450.00,DIRECTDEP,EMPLOYER SALARY        → not in US dollars

# UBS: apostrophes group thousands {"currency":"usd"}
Produit;Monn.;Description;Date de comptabilisation;Description 1;Description 2;Débit;Crédit;Solde
0000;CHF;Compte;03.11.2026;Loyer;GÉRANCE, 1200 GENÈVE;1'250.00;;11'373.94 → 1250
0000;CHF;Compte;02.11.2026;Virement;EMPLOYEUR;;240.00;12'623.94        → money that came in
0000;CHF;Compte;01.11.2026;Carte;LIBRAIRIE;18.25;;12'383.94            → 18.25

# HDFC: 0.00 in the unused column {"currency":"usd"}
Date,Narration,Value Dat,Debit Amount,Credit Amount,Chq/Ref Number,Closing Balance
02/11/26,UPI-GROCER,02/11/26,450.00,0.00,0000261,"9,550.00"            → 450
03/11/26,NEFT-EMPLOYER,03/11/26,0.00,"25,000.00",0000262,"34,550.00"   → money that came in

# DBS: empty lines and balances above, cells beyond the header {"currency":"usd"}



Account Details For:,Savings Account
Available Balance:,13490.75

Transaction Date,Reference,Debit Amount,Credit Amount,Transaction Ref1,Transaction Ref2

06 Nov 2026,MST, 34.65, ,COLD STORE 04NOV,4628-0000                    → 34.65
05 Nov 2026,ITR, , 12.00,REFUND,Bla,,                                  → money that came in
04 Nov 2026,AWL, 50.00, ,EAST COAST, ROAD, 12,                         → more columns than the list has

# DR and CR behind the amounts, and a total
Date|Details|Amount in USD
2 Nov 2026|Stationery|45.20 DR                                         → 45.2
3 Nov 2026|Interest|1.02 CR                                            → money that came in
4 Nov 2026|Chair|1,234.50 Dr.                                          → 1234.5
|Total|1,279.70 DR                                                     → a balance or a total

# a Japanese card: yen without decimals {"currency":"usd"}
ご利用日,ご利用店名,ご利用金額(円)
2026/11/02,喫茶店,1500                                                  → 1500
2026年11月3日,本屋,2400                                                  → 2400

# no header, and the balance before the amount {"currency":"usd","amount":3,"spendingSign":"minus"}
02/11/2026;Bakery;1.200,10;-4,35                                       → 4.35
03/11/2026;Groceries;1.147,46;-52,64                                   → 52.64
04/11/2026;Salary;3.147,46;2.000,00                                    → money that came in
`;

const shapes = SHAPES.split(/\n# /)
  .slice(1)
  .map((shape) => {
    const [title = "", ...lines] = shape.trimEnd().split("\n");
    const [, name = "", correction = ""] = /^(.*?)( \{.*)?$/.exec(title) ?? [];
    const parts = lines.map((line) => line.split(/ *→ /));
    return {
      name,
      text: parts.map(([line]) => line).join("\r\n"),
      correction: correction && JSON.parse(correction),
      expected: parts.flatMap(([, reading]) => reading ?? []),
    };
  });

const toAmount = ({ purchase }: RowReading) => purchase && formatDecimal(purchase.microUsd, 6);

describe.each(shapes)("$name", ({ text, correction, expected }) => {
  const table = parseTable(text);
  const guess = guessChoices(table);

  test("is read row by row once the person has corrected the guess", () => {
    const readings = readPurchases(table, { ...guess, ...correction });
    expect(readings.map((reading) => toAmount(reading) ?? reading.reason)).toEqual(
      expected.map((reading) => expect.stringMatching(/^[\d.]+$/.test(reading) ? `^${reading}$` : `^${reading}`)),
    );
  });

  test("offers nothing before, if the guess has to be corrected", () => {
    const guessedAmounts = readPurchases(table, guess).flatMap((reading) => toAmount(reading) ?? []);
    expect(guessedAmounts).toEqual(correction ? [] : expected.filter((reading) => /^[\d.]+$/.test(reading)));
  });
});
