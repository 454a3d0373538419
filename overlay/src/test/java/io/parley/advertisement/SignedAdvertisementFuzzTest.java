package io.parley.advertisement;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.testkit.ManualClock;
import java.time.Instant;
import org.junit.jupiter.api.Tag;

/**
 * Takes whatever a fuzzer thinks of for an envelope and for a document. In a normal build it only replays the inputs that are
 * kept under {@code src/test/resources}; to search for new ones, from the project's folder:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=SignedAdvertisementFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 *
 * <p>An input that fails is left in those resources, and is to be committed with the repair.
 */
@Tag("fuzz")
final class SignedAdvertisementFuzzTest {
    private final AdvertisementCodec documents = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);
    private final AdvertisementVerifier verifier =
            new AdvertisementVerifier(documents, new ManualClock(Instant.parse("2026-11-21T12:00:00Z")));

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) {
        try {
            verifier.verify(input);
        } catch (ParleyException e) {
            // A signature is nothing that a fuzzer finds, so what is behind it is looked at without one.
        }
        try {
            roundTrip(verifier.readTrusted(input).advertisement());
        } catch (PeerFaultException e) {
            // the one answer to bytes that are no envelope
        }
        try {
            roundTrip(documents.decode(input));
        } catch (PeerFaultException e) {
            // the one answer to bytes that are no document
        }
    }

    private void roundTrip(Advertisement read) {
        // Escapes make a document longer, so one near the limit may not be written.
        byte[] document = AdvertisementXmlWriter.write(documents.types().write(read));
        if (document.length <= documents.limits().maxDocumentBytes()
                && !documents.decode(document).equals(read)) {
            throw new AssertionError("what was read does not survive a round trip: " + read);
        }
    }
}
