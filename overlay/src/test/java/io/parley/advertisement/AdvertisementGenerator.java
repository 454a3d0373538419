package io.parley.advertisement;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Generates advertisements of every type, deterministic for a seed. */
final class AdvertisementGenerator {
    private static final String[] PARTS = {
        "a",
        "Z",
        "7",
        " ",
        "  ",
        "<",
        ">",
        "&",
        "]]>",
        "\"",
        "'",
        "&amp;",
        "\n",
        "\t",
        "\r",
        "ß",
        "世",
        "\uD83D\uDE80",
        "*",
        "\u0085"
    };

    private final Random random;

    AdvertisementGenerator(long seed) {
        this.random = new Random(Long.getLong("parley.test.seed", seed));
    }

    Advertisement next() {
        return switch (random.nextInt(9)) {
            case 0 -> peer();
            case 1 -> new PeerGroupAdvertisement(id(), id(), text(), text(), services());
            case 2 -> pipe();
            case 3 -> route(id());
            case 4 -> rendezvous();
            case 5 -> new ModuleClassAdvertisement(id(), text(), text());
            case 6 ->
                new ModuleSpecAdvertisement(
                        id(),
                        text(),
                        text(),
                        text(),
                        text(),
                        text(),
                        orNull(this::element),
                        orNull(this::pipe),
                        orNull(this::id),
                        orNull(this::id));
            case 7 ->
                new ModuleImplAdvertisement(
                        id(), text(), orNull(this::element), text(), text(), text(), orNull(this::element));
            default -> new OpaqueAdvertisement(element().withName("unknown:type"));
        };
    }

    private PeerAdvertisement peer() {
        AdvertisementId peer = id();
        PeerAdvertisement created = new PeerAdvertisement(peer, id(), text(), text(), services());
        return random.nextBoolean() ? created : created.withRoute(route(peer));
    }

    private PipeAdvertisement pipe() {
        PipeType[] types = PipeType.values();
        return new PipeAdvertisement(id(), types[random.nextInt(types.length)], text(), text());
    }

    private RouteAdvertisement route(AdvertisementId destination) {
        return new RouteAdvertisement(destination, addresses(), several(() -> new AccessPoint(id(), addresses())));
    }

    private RdvAdvertisement rendezvous() {
        AdvertisementId peer = id();
        return new RdvAdvertisement(id(), peer, "s" + text(), text(), orNull(() -> route(peer)));
    }

    private List<ServiceParameters> services() {
        return several(() -> new ServiceParameters(id(), element()));
    }

    private List<String> addresses() {
        return several(() -> "tcp://" + text() + "host:" + random.nextInt(65_536));
    }

    private XmlElement element() {
        XmlElement.Builder element = XmlElement.builder("E" + random.nextInt(3));
        if (random.nextBoolean()) {
            element.attribute("a", nonNullText()).attribute("p:b", nonNullText());
        }
        if (random.nextInt(3) == 0) {
            several(this::element).forEach(element::add);
        }
        element.add("jxta:X", text());
        return element.build();
    }

    private AdvertisementId id() {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        int zeros = random.nextInt(4) == 0 ? random.nextInt(20) : 0;
        for (int i = 0; i < zeros; i++) {
            bytes[31 - i] = 0;
        }
        return switch (random.nextInt(4)) {
            case 0 -> AdvertisementId.of(PeerId.ofBytes(bytes));
            case 1 -> AdvertisementId.of(PipeId.ofBytes(bytes));
            case 2 -> AdvertisementId.of(GroupId.random(random));
            default ->
                new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE000000"
                        + String.format("%02x", random.nextInt(17)) + "05");
        };
    }

    private @Nullable String text() {
        return random.nextInt(4) == 0 ? null : nonNullText();
    }

    private String nonNullText() {
        StringBuilder text = new StringBuilder();
        IntStream.range(0, random.nextInt(8)).forEach(i -> text.append(PARTS[random.nextInt(PARTS.length)]));
        return text.toString();
    }

    private <T> List<T> several(Supplier<T> one) {
        return IntStream.range(0, random.nextInt(3)).mapToObj(i -> one.get()).toList();
    }

    private <T> @Nullable T orNull(Supplier<T> one) {
        return random.nextBoolean() ? one.get() : null;
    }
}
