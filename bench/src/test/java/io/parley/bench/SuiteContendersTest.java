package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.contender.Contender;
import io.parley.bench.suite.Suite;
import io.parley.bench.suite.Suites;
import io.parley.bench.worker.ContenderRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SuiteContendersTest {

    private final Suite roundTrips = suite("rtt");
    private final Suite formats = suite("codec-wire");

    @Test
    void contenders_withoutRequest_excludeThoseThatRunOnlyByName() {
        SuiteContenders contenders = new SuiteContenders(ContenderRegistry.all(), null);

        assertThat(names(contenders.of(roundTrips)))
                .contains("netty", "parley-pipe")
                .doesNotContain("parley-pipe-xml", "parley-pipe-fastinfoset");
        assertThat(names(contenders.of(formats)))
                .containsExactly("parley-pipe", "parley-pipe-xml", "parley-pipe-fastinfoset");
        assertThat(names(contenders.of(List.of(roundTrips, formats)))).contains("netty", "parley-pipe-xml");
    }

    @Test
    void contenders_requestedByName_takePartInEverySuiteThatAcceptsThem() {
        SuiteContenders contenders = new SuiteContenders(ContenderRegistry.all(), List.of("netty", "parley-pipe-xml"));

        assertThat(names(contenders.of(roundTrips))).containsExactly("netty", "parley-pipe-xml");
        assertThat(names(contenders.of(formats))).containsExactly("parley-pipe-xml");
    }

    private static Suite suite(String name) {
        return Suites.all().stream()
                .filter(suite -> suite.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> names(List<Contender> contenders) {
        return contenders.stream().map(Contender::name).toList();
    }
}
