package io.parley.bench.workload;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Creates orders of a market with one XML element for each of ten fields, about 1 KB in the XML message format. The
 * names are always the same. Some values repeat often (symbol, side, venue), some occasionally (account, quantity),
 * and some never (sequence, time).
 */
final class OrderWorkload {

    private static final long SEED = 1969;
    private static final long SEED_STEP = 7919;
    private static final int SYMBOLS = 80;
    private static final int ACCOUNTS = 400;
    private static final List<String> VENUES = List.of("XNYS", "XNAS", "XLON", "XPAR", "XETR", "XTSE");
    private static final List<String> TERMS = List.of("day", "good-till-cancel", "immediate-or-cancel", "fill-or-kill");

    private final List<String> symbols;

    OrderWorkload() {
        SplitMix64 random = new SplitMix64(SEED);
        symbols = IntStream.range(0, SYMBOLS).mapToObj(i -> symbol(random)).toList();
    }

    private static String symbol(SplitMix64 random) {
        StringBuilder symbol = new StringBuilder();
        for (int letters = 2 + random.below(3); letters > 0; letters--) {
            symbol.append((char) ('A' + random.below(26)));
        }
        return symbol.toString();
    }

    Message message(int index) {
        SplitMix64 random = new SplitMix64(SEED + SEED_STEP * (index + 1L));
        int symbol = random.below(SYMBOLS);
        int quantity = 100 * (1 + random.below(50));
        int price = 2_000 + 150 * symbol + random.below(200);
        Message.Builder message = Message.builder();
        add(message, "sequence", Integer.toString(1_000_000 + index));
        add(message, "symbol", symbols.get(symbol));
        add(message, "side", random.below(2) == 0 ? "buy" : "sell");
        add(message, "quantity", Integer.toString(quantity));
        add(message, "price", decimal(price));
        add(message, "amount", decimal((long) price * quantity));
        add(message, "account", "A-" + (20_000 + random.below(ACCOUNTS)));
        add(message, "venue", random.pick(VENUES));
        add(message, "terms", random.pick(TERMS));
        add(message, "time", time(random, index));
        return message.build();
    }

    private static void add(Message.Builder message, String name, String value) {
        message.add(MessageElement.ofXml(name, "<" + name + ">" + value + "</" + name + ">")
                .withNamespace("market"));
    }

    private static String decimal(long hundredths) {
        return String.format(Locale.ROOT, "%d.%02d", hundredths / 100, hundredths % 100);
    }

    /** Returns the time of the order at {@code index}: five orders per second. */
    private static String time(SplitMix64 random, int index) {
        int second = index / 5;
        return String.format(
                Locale.ROOT, "09:%02d:%02d.%06d", 30 + second / 60 % 30, second % 60, random.below(1_000_000));
    }
}
