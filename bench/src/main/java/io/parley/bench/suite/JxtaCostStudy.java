package io.parley.bench.suite;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.PeerEnvironment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The figures of <em>The Costs of Using JXTA</em> (Halepovic and Deters, 2003) for the same operations and messages, measured with
 * JXTA 1.0 on machines of 2003.
 */
final class JxtaCostStudy {

    static final String NOTE =
            "The figures of the paper (table 1) are for JXTA 1.0 on machines of 2003. Its start includes the"
                    + " rendezvous, its group is that of two operations (get, join), and its sum includes searches of the own cache but no"
                    + " message.";

    static final String COMPOSITION_NOTE =
            "The paper (figure 6) has no times, but the ratio of 20 elements to one, by type of"
                    + " pipe; that of secure pipes was above 2.";

    static final String SENDING_RATE_NOTE =
            "The paper (figure 7) has the highest rate without loss on a link of 100 Mbit/s.";

    static final String PAYLOAD_SHARE_NOTE =
            "The paper (figure 9) has the least share of its types of pipes and transports, on links of 2003.";

    static final String LOSS_NOTE =
            "The paper (text) has 42.9 % at 200 messages per second, and 0 to 23.95 % at 20, of which the bar"
                    + " shows the middle.";

    private static final String NAME = "jxta-1.0, paper";
    private static final String UNICAST = "jxta-1.0 unicast, paper";
    private static final String SECURE = "jxta-1.0 secure, paper";
    private static final String PROPAGATE = "jxta-1.0 propagate, paper";
    private static final int KIB = 1 << 10;

    private JxtaCostStudy() {}

    /** Returns the figures of the paper for {@code environment}, in milliseconds. */
    static List<Figure> figures(PeerEnvironment environment) {
        List<Figure> figures = new ArrayList<>();
        operations(environment).forEach((operation, millis) -> figures.add(figure(NAME, operation, 0, millis)));
        return figures;
    }

    private static Map<String, Double> operations(PeerEnvironment environment) {
        return switch (environment) {
            case NEARBY -> operations(4465.8, 1261.3, 80.0, 16.4, 58.8, 404.9, 25.4, 221.2, 159.0, 6692.7);
            case CACHED -> operations(8218.7, 1341.1, 81.8, 20.7, 61.8, 392.9, 28.4, 236.1, 173.5, 10_555.0);
            case RENDEZVOUS -> operations(5858.3, 972.6, 66.5, 27.0, 103.6, 726.0, 47.6, 414.7, 248.8, 8465.3);
            case FAR_RENDEZVOUS -> operations(6074.1, 1194.4, 65.8, 16.5, 123.3, 1639.2, 29.8, 1173.4, 693.2, 11_009.8);
        };
    }

    private static Map<String, Double> operations(
            double boot,
            double group,
            double publish,
            double input,
            double localPeers,
            double findPeer,
            double localPipes,
            double findPipe,
            double output,
            double total) {
        Map<String, Double> operations = new LinkedHashMap<>();
        operations.put(Operation.BOOT.label(), boot);
        operations.put(Operation.JOIN_GROUP.label(), group);
        operations.put(Operation.PUBLISH_PIPE.label(), publish);
        operations.put(Operation.OPEN_INPUT.label(), input);
        operations.put(Operation.FIND_LOCAL_PEERS.label(), localPeers);
        operations.put(Operation.FIND_PEER.label(), findPeer);
        operations.put(Operation.FIND_LOCAL_PIPES.label(), localPipes);
        operations.put(Operation.FIND_PIPE.label(), findPipe);
        operations.put(Operation.OPEN_OUTPUT.label(), output);
        operations.put(OperationTimes.SUM, total);
        return operations;
    }

    /** Returns the ratios of the round trip time of 20 elements of 1 KB to that of one element, by type of pipe. */
    static List<Figure> compositionCosts() {
        String form = Composition.TWENTY.label();
        return List.of(
                figure(UNICAST, form, Composition.BYTES, 1.24),
                figure(PROPAGATE, form, Composition.BYTES, 1.43),
                figure(SECURE, form, Composition.BYTES, 2));
    }

    /** Returns the highest rates without loss, in messages per second, by type of pipe and size. */
    static List<Figure> sendingRates() {
        return List.of(
                figure(UNICAST, "", KIB, 115),
                figure(SECURE, "", KIB, 23),
                figure(PROPAGATE, "", KIB, 20),
                figure(UNICAST, "", 10 * KIB, 97),
                figure(SECURE, "", 10 * KIB, 23),
                figure(PROPAGATE, "", 10 * KIB, 20));
    }

    /** Returns the least shares of the payload in the bytes on the wire, in percent. */
    static List<Figure> payloadShares() {
        return List.of(figure(NAME, "", KIB, 40), figure(NAME, "", 10 * KIB, 80));
    }

    /** Returns the lost messages of propagate pipes, in percent, by the attempted rate. */
    static List<Figure> losses() {
        return List.of(
                new Figure(PROPAGATE, LossSuite.label(20), KIB, new Spread(11.975, 0, 23.95), Map.of(), 0, Map.of()),
                figure(PROPAGATE, LossSuite.label(200), KIB, 42.9));
    }

    private static Figure figure(String name, String form, int bytes, double value) {
        return new Figure(name, form, bytes, new Spread(value, value, value), Map.of(), 0, Map.of());
    }
}
