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
                .contains(
                        "netty",
                        "netty-spin",
                        "netty-tls-arrays",
                        "netty-tls-spin",
                        "parley-pipe",
                        "parley-pipe-no-spin")
                .doesNotContain("parley-pipe-xml", "parley-pipe-fastinfoset", "parley-pipe-executor", "sockets-spin")
                .doesNotContain(
                        "parley-pipe-http",
                        "parley-pipe-http-tls",
                        "parley-pipe-relay-tls",
                        "parley-pipe-relay-http-tls")
                .doesNotContain("netty-websocket-spin", "netty-tls-websocket-spin");
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

    @Test
    void comparators_waitInTheSameWay() {
        assertThat(firstComparator("parley-endpoint")).isEqualTo("netty-spin");
        assertThat(firstComparator("parley-pipe")).isEqualTo("netty-spin");
        assertThat(firstComparator("parley-pipe-executor")).isEqualTo("netty-spin");
        assertThat(firstComparator("parley-pipe-receive")).isEqualTo("netty-spin");
        assertThat(firstComparator("parley-endpoint-tls")).isEqualTo("netty-tls-spin");
        assertThat(firstComparator("parley-pipe-tls")).isEqualTo("netty-tls-spin");
        assertThat(firstComparator("parley-pipe-no-spin")).isEqualTo("netty-arrays");
        assertThat(firstComparator("parley-pipe-tls-no-spin")).isEqualTo("netty-tls-arrays");
    }

    @Test
    void comparators_areContenders() {
        List<String> names = names(ContenderRegistry.all());

        assertThat(ContenderRegistry.all())
                .allSatisfy(contender -> assertThat(names).containsAll(contender.comparators()));
    }

    private static String firstComparator(String contender) {
        return ContenderRegistry.named(contender).comparators().get(0);
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
