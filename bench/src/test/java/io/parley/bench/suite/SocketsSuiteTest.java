package io.parley.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.PackagedBenchmarks;
import io.parley.bench.result.Experiment;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("suite")
final class SocketsSuiteTest {

    @Test
    void run_keepsTheExperimentsOfEachPart(@TempDir Path logs) throws Exception {
        PackagedBenchmarks.use();
        List<StreamContender> javaIo = StreamRegistry.all().stream()
                .filter(contender -> contender.name().equals("java-io"))
                .toList();
        List<List<Experiment>> kept = new ArrayList<>();
        SuiteContext context = new SuiteContext(List.of(), TimeBudget.tiny(), logs, line -> {})
                .with(List.of(), javaIo)
                .keepingResults(kept::add);

        List<Experiment> all = new SocketsSuite().run(context);

        assertThat(kept).containsExactly(all.subList(0, 2), all.subList(0, 3), all.subList(0, 4));
    }
}
