package io.parley.examples.transfer;

import io.parley.message.MessageElement;
import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The processor time of an offer is linear in its size. */
class TransferOfferTimeTest {

    private static TransferOffer read(List<MessageElement> elements) {
        Iterator<MessageElement> iterator = elements.iterator();
        try {
            return TransferOffer.read(iterator::next);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The largest list fits into the cache of one processor, which other processes cannot take: then its times do not depend on them. */
    @ParameterizedTest
    @ValueSource(strings = {"", "a/b/c/d/e/f/g/h/", ".", "\u200b"})
    void paths(String prefix) {
        ProcessorTime.assertLinear("paths that begin with '" + prefix + "'", 500, n -> {
            List<MessageElement> elements = new ArrayList<>();
            for (int end = prefix.indexOf('/'); end >= 0; end = prefix.indexOf('/', end + 1)) {
                elements.add(MessageElement.ofText(TransferProtocol.DIR, prefix.substring(0, end)));
            }
            for (String name : CollidingNames.of(n)) {
                elements.add(MessageElement.ofText(TransferProtocol.FILE, "1 " + prefix + name));
            }
            elements.add(MessageElement.ofText(TransferProtocol.LISTED, n + " " + n));
            return () -> read(elements).unusualPaths();
        });
    }
}
