package io.parley.bench.suite;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.PeerEnvironment;
import java.util.List;
import java.util.Map;

/**
 * What <em>The Costs of Using JXTA</em> (Halepovic and Deters, 2003) measured of the same, with JXTA 1.0 on machines of its
 * time.
 */
final class JxtaCostStudy {

    static final String NOTE =
            "The paper's figures are of JXTA 1.0 on machines of 2003; where it gives a range, the bar is"
                    + " the middle. Its start includes the rendezvous.";

    private static final String NAME = "jxta-1.0, paper";

    private JxtaCostStudy() {}

    /** As far as they are for these surroundings. */
    static List<Figure> figures(PeerEnvironment surroundings) {
        return List.of(
                switch (surroundings) {
                    case NEARBY -> figure(Operation.BOOT.label(), 4500, 4500);
                    case CACHED -> figure(Operation.BOOT.label(), 8200, 8200);
                    case RENDEZVOUS, FAR_RENDEZVOUS -> figure(Operation.BOOT.label(), 5900, 6100);
                },
                figure(Operation.JOIN_GROUP.label(), 1300, 1300),
                figure(Operation.OPEN_OUTPUT.label(), 159, 693),
                figure(OperationTimes.SUM, 6700, 11_000));
    }

    private static Figure figure(String operation, double least, double most) {
        return new Figure(NAME, operation, 0, new Spread((least + most) / 2, least, most), Map.of(), 0, Map.of());
    }
}
