package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares signing and verifying with the vector in {@code docs/wire-format.md}. */
final class AdvertisementVectorTest {
    private static final Pattern BLOCK = Pattern.compile("```hex pipe-advertisement\\R(.*?)```", Pattern.DOTALL);

    /** Hex digits to the end of the line, or to the two blanks before a comment. */
    private static final Pattern FIELD = Pattern.compile("(?m)^([0-9a-f]+)(?:  .*)?$");

    @Test
    void vector_equalsSignedBytes_andIsVerified() throws IOException {
        PipeAdvertisement pipe = PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "chat"), PipeType.UNICAST, "chat");
        ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
        AdvertisementCodec documents = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);
        SignedAdvertisement signed = new AdvertisementSigner(TestPublishers.ALICE, documents, clock)
                .sign(pipe, GroupId.NET, Duration.ofDays(1), Duration.ofHours(2));
        String vector = vector();
        assertThat(HexFormat.of().formatHex(signed.toByteArray())).isEqualTo(vector);
        assertThat(new AdvertisementVerifier(documents, clock)
                        .verify(HexFormat.of().parseHex(vector))
                        .advertisement())
                .isEqualTo(pipe);
    }

    private static String vector() throws IOException {
        Path document = findDocument();
        Matcher block = BLOCK.matcher(Files.readString(document));
        assertThat(block.find()).as("the vector in %s", document).isTrue();
        StringBuilder hex = new StringBuilder();
        Matcher fields = FIELD.matcher(block.group(1));
        while (fields.find()) {
            hex.append(fields.group(1));
        }
        return hex.toString();
    }

    /** Finds the document in this directory or its parents, because tests run in the module's or in the project's directory. */
    private static Path findDocument() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path document = folder.resolve("docs").resolve("wire-format.md");
            if (Files.exists(document)) {
                return document;
            }
        }
        throw new AssertionError("no docs/wire-format.md above " + Path.of("").toAbsolutePath());
    }
}
