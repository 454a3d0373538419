package io.parley.bench.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Machine;
import io.parley.bench.result.Results;
import io.parley.bench.result.Spread;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamRegistry;
import io.parley.bench.worker.ContenderRegistry;
import io.parley.bench.worker.FanOutRegistry;
import io.parley.bench.worker.Placement;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TargetsTest {

    private static final FigureKey KEY = new FigureKey("experiment", "parley", "", 0);

    @Test
    void check_noneMeasured_meetsNone() {
        Targets.Outcome outcome = Targets.check(List.of(results(List.of())));

        assertThat(outcome.measured()).isZero();
        assertThat(outcome.unmet()).isEqualTo(Targets.ALL.size());
        assertThat(outcome.lines())
                .hasSize(Targets.ALL.size())
                .contains("ABSENT to-first-message, parley, warm, start to first message: not measured"
                        + " (expected: <= 300.00)");
    }

    @Test
    void check_valueOutsideOfItsLimit_isMetOrMissed() {
        assertThat(line(Target.atMost(10, KEY), values(15, 9)))
                .isEqualTo("held   experiment, parley: 9.0000 [9.0000 to 9.0000] (expected: <= 10.000)");
        assertThat(line(Target.atMost(8, KEY), values(15, 9))).startsWith("MISSED experiment, parley: 9.0000");
        assertThat(line(Target.atLeast(8, KEY), values(15, 9))).startsWith("held ");
        assertThat(line(Target.atLeast(10, KEY), values(15, 9))).startsWith("MISSED ");
    }

    @Test
    void check_limitInsideTheInterval_isNoPass() {
        Spread oneTo15 = Spread.of(
                IntStream.rangeClosed(1, 15).mapToObj(value -> (double) value).toList());

        assertThat(line(Target.atMost(11, KEY), oneTo15))
                .isEqualTo("OPEN   experiment, parley: 8.0000 [4.0000 to 12.000] (expected: <= 11.000)");
        assertThat(line(Target.atMost(12.5, KEY), oneTo15)).startsWith("held ");
        assertThat(line(Target.atMost(7, KEY), oneTo15)).startsWith("MISSED ");
    }

    @Test
    void check_fewRounds_isNoPass() {
        assertThat(line(Target.atMost(10, KEY), values(14, 9)))
                .isEqualTo("OPEN   experiment, parley: 9.0000 in 14 rounds of 15 (expected: <= 10.000)");
        assertThat(line(Target.atMost(8, KEY), values(14, 9))).startsWith("MISSED ");
    }

    @Test
    void check_figureOfMedians_isJudgedWithoutAnInterval_afterItsRounds() {
        Target target = Target.atLeast(0.8, KEY).byMediansOf(5);

        assertThat(line(target, new Spread(0.9, 0.9, 0.9, 5, null)))
                .isEqualTo("held   experiment, parley: 0.90000 by medians of 5 rounds (expected: >= 0.80000)");
        assertThat(line(target, new Spread(0.7, 0.7, 0.7, 5, null))).startsWith("MISSED ");
        assertThat(line(target, new Spread(0.9, 0.9, 0.9, 3, null))).startsWith("OPEN ");
    }

    @Test
    void check_exactFigure_isJudgedAfterOneMeasurement() {
        Target target = Target.atMost(10, KEY).exact();

        assertThat(line(target, values(1, 9))).isEqualTo("held   experiment, parley: 9.0000 (expected: <= 10.000)");
        assertThat(line(target, values(1, 11))).startsWith("MISSED ");
        assertThat(line(target, new Spread(9, 9, 9))).startsWith("OPEN ");
    }

    @Test
    void check_ratioOfProcessorTime_isSeparateFromTheRatioOfTheValue() {
        Figure figure = new Figure(
                "parley",
                "",
                0,
                values(15, 100),
                Map.of(),
                1,
                Map.of("netty", values(15, 0.5)),
                Map.of("netty", values(15, 2)));
        Target time = Target.ratioAtMost(1, KEY, "netty");
        Target cpu = Target.cpuRatioAtMost(1, KEY, "netty");

        Targets.Outcome outcome = Targets.check(List.of(time, cpu), List.of(results(List.of(experiment(figure)))));

        assertThat(outcome.lines())
                .containsExactly(
                        "held   experiment, parley, to netty: 0.50000 [0.50000 to 0.50000] (expected: <= 1.0000)",
                        "MISSED experiment, parley, processor time, to netty: 2.0000 [2.0000 to 2.0000]"
                                + " (expected: <= 1.0000)");
        assertThat(outcome.measured()).isEqualTo(2);
        assertThat(outcome.unmet()).isEqualTo(1);
    }

    @Test
    void check_ratioToAbsentComparator_isNotMeasured() {
        assertThat(line(Target.ratioAtMost(1, KEY, "netty"), values(15, 9))).startsWith("ABSENT ");
    }

    @Test
    void check_targetOfOnePlacement_isJudgedByRunsWithThatPlacementOnly() {
        Results apart = placed(Placement.APART, 9);
        Results together = placed(Placement.TOGETHER, 11);
        Target target = Target.atMost(10, KEY);

        assertThat(Targets.check(List.of(target.in(Placement.APART)), List.of(apart, together))
                        .lines())
                .containsExactly("held   experiment, parley, apart: 9.0000 [9.0000 to 9.0000] (expected: <= 10.000)");
        assertThat(Targets.check(List.of(target.in(Placement.TOGETHER)), List.of(apart))
                        .lines())
                .containsExactly("ABSENT experiment, parley, together: not measured (expected: <= 10.000)");
    }

    @Test
    void check_targetOfAllPlacements_isJudgedByEachRun() {
        Targets.Outcome outcome = Targets.check(
                List.of(Target.atMost(10, KEY)), List.of(placed(Placement.APART, 9), placed(Placement.ANY, 11)));

        assertThat(outcome.lines())
                .containsExactly(
                        "held   experiment, parley, apart: 9.0000 [9.0000 to 9.0000] (expected: <= 10.000)",
                        "MISSED experiment, parley: 11.000 [11.000 to 11.000] (expected: <= 10.000)");
        assertThat(outcome.measured()).isEqualTo(2);
        assertThat(outcome.unmet()).isOne();
    }

    @Test
    void targets_nameContendersThatExist() {
        List<String> names = Stream.concat(
                        ContenderRegistry.all().stream().map(Contender::name),
                        StreamRegistry.all().stream().map(StreamContender::name))
                .toList();

        assertThat(Targets.ALL)
                .filteredOn(target -> target.key().contender().startsWith("parley-"))
                .hasSizeGreaterThan(20)
                .allSatisfy(target -> {
                    assertThat(names).contains(target.key().contender());
                    assertThat(target.against())
                            .satisfiesAnyOf(
                                    against -> assertThat(against).isEmpty(),
                                    against -> assertThat(comparators(target)).contains(against));
                });
    }

    private static List<String> comparators(Target target) {
        String name = target.key().contender();
        Optional<StreamContender> stream = StreamRegistry.find(name);
        if (stream.isPresent()) {
            return stream.get().comparators();
        }
        return target.key().experiment().equals("fan-out")
                ? FanOutRegistry.named(name).comparators()
                : ContenderRegistry.named(name).comparators();
    }

    private static Results placed(Placement placement, double value) {
        Figure figure = new Figure("parley", "", 0, values(15, value), Map.of(), 1, Map.of());
        return results(placement, List.of(experiment(figure)));
    }

    private static Machine machine(Placement placement) {
        Machine here = Machine.here();
        return new Machine(
                here.cpus(),
                here.cpu(),
                here.kernel(),
                here.jvm(),
                here.tcpCongestionControl(),
                here.nettyTransport(),
                here.tlsEngine(),
                placement,
                here.loadAverage());
    }

    private static String line(Target target, Spread value) {
        Figure figure = new Figure("parley", "", 0, value, Map.of(), 1, Map.of());
        return Targets.check(List.of(target), List.of(results(List.of(experiment(figure)))))
                .lines()
                .get(0);
    }

    private static Spread values(int rounds, double value) {
        return Spread.of(Collections.nCopies(rounds, value));
    }

    private static Experiment experiment(Figure figure) {
        return new Experiment(
                "suite",
                "experiment",
                "question",
                "method",
                "median",
                "ms",
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                List.of(figure));
    }

    private static Results results(List<Experiment> experiments) {
        return results(Placement.ANY, experiments);
    }

    private static Results results(Placement placement, List<Experiment> experiments) {
        return new Results("now", 1, "quick", 3, machine(placement), List.of(), experiments, List.of());
    }
}
