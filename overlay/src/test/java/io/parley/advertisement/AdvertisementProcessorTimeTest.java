package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.parley.common.internal.DistinctNames;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.id.GroupId;
import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The processor time of a document is linear in its size, up to the limits. */
class AdvertisementProcessorTimeTest {

    private static final AdvertisementLimits LIMITS = AdvertisementLimits.DEFAULTS;

    private final AdvertisementCodec documents = AdvertisementCodec.installed(LIMITS);

    private void assertLinear(String subject, int n, IntFunction<String> texts) {
        ProcessorTime.assertLinear(subject, n, size -> {
            byte[] document =
                    ("<x xmlns:jxta='http://jxta.org'>" + texts.apply(size) + "</x>").getBytes(StandardCharsets.UTF_8);
            assertThat(documents.decode(document)).isInstanceOf(OpaqueAdvertisement.class);
            return () -> documents.decode(document);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "text,         some text,              1500",
        "references,   &#x1F680;&lt;,          1000",
        "sections,     <![CDATA[x]]>,          1000",
        "comments,     <!-- - -->x,            1000",
        "instructions, <?do something?>,       1000",
        "elements,     <a/>,                   500",
        "attributes,   <a b='c' d='e' f='g'/>, 500"
    })
    void parts(String name, String part, int n) {
        assertLinear(name, n, size -> part.repeat(size));
    }

    @Test
    void depth() {
        int n = (LIMITS.maxDepth() - 1) / 4;
        assertLinear("depth", n, size -> "<a>".repeat(size) + "</a>".repeat(size));
    }

    @Test
    void collidingNames() {
        List<String> names = CollidingNames.of(DistinctNames.MAX_COLLIDING);
        StringBuilder first = new StringBuilder();
        names.forEach(name -> first.append('<').append(name).append("/>"));
        String last = "<" + names.get(names.size() - 1) + "/>";
        assertLinear("names of one hash", 400, n -> first + last.repeat(n));
    }

    @Test
    void keysOfOneHash() {
        ProcessorTime.assertLinear("keys", 250, n -> {
            List<AdvertisementKey> keys = CollidingNames.of(n).stream()
                    .map(name -> new AdvertisementKey(GroupId.NET, "t", TestPublishers.ALICE.peerId(), name))
                    .toList();
            return () -> assertThat(new HashSet<>(keys).size()).isEqualTo(n);
        });
    }

    private static byte[] collidingElements(int count) {
        StringBuilder document = new StringBuilder("<x>");
        CollidingNames.of(count)
                .forEach(name -> document.append('<').append(name).append("/>"));
        return (document + "</x>").getBytes(StandardCharsets.UTF_8);
    }

    /** Without a limit for names of one hash, the parser would compare each with all others. */
    @Test
    void moreCollidingNames_costNoMore() {
        ProcessorTime.assertLinear("rejected names of one hash", 250, n -> {
            byte[] document = collidingElements(n);
            return () -> catchThrowableOfType(PeerFaultException.class, () -> documents.decode(document));
        });
    }

    @Test
    void moreCollidingNames_areRejected() {
        byte[] bytes = collidingElements(DistinctNames.MAX_COLLIDING + 1);
        assertThatThrownBy(() -> documents.decode(bytes))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("names of one hash: more than 32");
    }
}
