package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.CodecSession;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How much shorter than XML text messages are. Sizes are the same on every machine. */
final class FastInfosetSizeTest {
    private static final String[] NAMES = {
        "order", "symbol", "price", "quantity", "side", "account", "stamp", "sequence", "venue", "note"
    };
    private static final int LEARNING = 100;
    private static final int MEASURED = 400;

    @Test
    void ordersOfOneKilobyteInXml_areLessThanAThirdOnceTheNamesAreKnown() {
        double ratio = ratio(new Random(1), false);
        System.out.printf("FastInfosetSizeTest: %.3f of the XML text, all contents new%n", ratio);
        assertThat(ratio).isLessThan(0.35);
    }

    @Test
    void ordersWhoseContentsMostlyComeAgain_areATenth() {
        double ratio = ratio(new Random(2), true);
        System.out.printf("FastInfosetSizeTest: %.3f of the XML text, most contents known%n", ratio);
        assertThat(ratio).isLessThan(0.12);
    }

    /** The names of the format cost more than those of the message when there is but one message. */
    @Test
    void firstOrder_isShorterThanTheXmlAsWell() {
        Message order = order(new Random(3), false);
        assertThat(Sessions.encode(Sessions.open(), order).length).isLessThan(Sessions.xml(order).length / 2);
    }

    private static double ratio(Random random, boolean known) {
        CodecSession session = Sessions.open();
        for (int i = 0; i < LEARNING; i++) {
            Sessions.encode(session, order(random, known));
        }
        long bytes = 0;
        long xmlBytes = 0;
        for (int i = 0; i < MEASURED; i++) {
            Message order = order(random, known);
            bytes += Sessions.encode(session, order).length;
            int xml = Sessions.xml(order).length;
            assertThat(xml).as("a message of about 1 KB").isBetween(900, 1200);
            xmlBytes += xml;
        }
        return (double) bytes / xmlBytes;
    }

    private static Message order(Random random, boolean known) {
        Message.Builder message = Message.builder();
        for (String name : NAMES) {
            int value = known ? random.nextInt(20) : 100_000 + random.nextInt(900_000);
            message.add(MessageElement.ofXml(name, "<" + name + ">" + value + "</" + name + ">")
                    .withNamespace("app"));
        }
        return message.build();
    }
}
