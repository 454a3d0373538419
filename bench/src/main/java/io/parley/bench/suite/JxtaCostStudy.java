package io.parley.bench.suite;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.PeerEnvironment;
import java.util.List;
import java.util.Map;

/**
 * The figures of <em>The Costs of Using JXTA</em> (Halepovic and Deters, 2003) for the same operations, measured with
 * JXTA 1.0 on machines of 2003.
 */
final class JxtaCostStudy {

    static final String NOTE =
            "The figures of the paper are for JXTA 1.0 on machines of 2003. If the paper states a range, the bar"
                    + " shows its middle. Its start time includes the rendezvous.";

    private static final String NAME = "jxta-1.0, paper";

    private JxtaCostStudy() {}

    /** Returns the figures of the paper for {@code environment}, as far as it contains them. */
    static List<Figure> figures(PeerEnvironment environment) {
        return List.of(
                switch (environment) {
                    case NEARBY -> figure(Operation.BOOT.label(), 4500, 4500);
                    case CACHED -> figure(Operation.BOOT.label(), 8200, 8200);
                    case RENDEZVOUS, FAR_RENDEZVOUS -> figure(Operation.BOOT.label(), 5900, 6100);
                },
                figure(Operation.JOIN_GROUP.label(), 1300, 1300),
                figure(Operation.OPEN_OUTPUT.label(), 159, 693),
                figure(OperationTimes.SUM, 6700, 11_000));
    }

    private static Figure figure(String operation, double min, double max) {
        return new Figure(NAME, operation, 0, new Spread((min + max) / 2, min, max), Map.of(), 0, Map.of());
    }
}
