package io.parley.examples.transfer;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.MessageElement;
import io.parley.testkit.HostileText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import org.junit.jupiter.api.Tag;

/**
 * Reads inputs of a fuzzer as the offer of a sender: each line is an element, its name before the first space. To run the
 * fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl examples -am test -Dtest=TransferOfferFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class TransferOfferFuzzTest {

    private static final Path DIRECTORY = Path.of("/directory");

    @FuzzTest(maxDuration = "60s")
    void read(byte[] input) throws InterruptedException {
        Iterator<String> lines = Arrays.asList(new String(input, StandardCharsets.UTF_8).split("\n", -1))
                .iterator();
        TransferOffer offer;
        try {
            offer = TransferOffer.read(() -> element(lines));
        } catch (PeerFaultException e) {
            HostileText.assertPrintable(e); // the only permitted exception
            return;
        }
        offer.paths().forEach(path -> check(path.below(DIRECTORY)));
        if (offer.bytes() < 0 || offer.unusualPaths().size() > offer.paths().count()) {
            throw new AssertionError("totals of an offer: " + offer);
        }
    }

    private static void check(Path path) {
        if (!path.equals(path.normalize()) || !path.startsWith(DIRECTORY) || path.equals(DIRECTORY)) {
            throw new AssertionError("path outside of the directory: " + path);
        }
    }

    private static MessageElement element(Iterator<String> lines) {
        if (!lines.hasNext()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("the offer has ended");
        }
        String line = lines.next();
        int space = line.indexOf(' ');
        return MessageElement.ofText(line.substring(0, Math.max(0, space)), line.substring(space + 1));
    }
}
