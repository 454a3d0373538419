package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.CodecSession;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Compares the sizes of messages in Fast Infoset and in XML text. The seeds are fixed, so that the printed ratios are
 * the same on every machine.
 */
final class FastInfosetSizeTest {
    private static final String[] NAMES = {
        "order", "symbol", "price", "quantity", "side", "account", "stamp", "sequence", "venue", "note"
    };
    private static final int WARM_UP_MESSAGES = 100;
    private static final int MEASURED_MESSAGES = 400;

    @Test
    void ordersWithNewContents_areAboutAThirdOfTheXml() {
        double ratio = ratio(new Random(1), false);
        System.out.printf("FastInfosetSizeTest: %.3f of the XML text, all contents new%n", ratio);
        assertThat(ratio).isLessThan(0.35);
    }

    @Test
    void ordersWithRepeatedContents_areAboutATenthOfTheXml() {
        double ratio = ratio(new Random(2), true);
        System.out.printf("FastInfosetSizeTest: %.3f of the XML text, most contents repeated%n", ratio);
        assertThat(ratio).isLessThan(0.12);
    }

    /** In a single message, the names of the format take more bytes than the names of the message. */
    @Test
    void firstOrder_isShorterThanHalfOfTheXml() {
        Message order = order(new Random(3), false);
        assertThat(Sessions.encode(Sessions.open(), order).length).isLessThan(Sessions.xml(order).length / 2);
    }

    private static double ratio(Random random, boolean repeated) {
        CodecSession session = Sessions.open();
        for (int i = 0; i < WARM_UP_MESSAGES; i++) {
            Sessions.encode(session, order(random, repeated));
        }
        long bytes = 0;
        long xmlBytes = 0;
        for (int i = 0; i < MEASURED_MESSAGES; i++) {
            Message order = order(random, repeated);
            bytes += Sessions.encode(session, order).length;
            int xml = Sessions.xml(order).length;
            assertThat(xml).as("a message of about 1 KB").isBetween(900, 1200);
            xmlBytes += xml;
        }
        return (double) bytes / xmlBytes;
    }

    private static Message order(Random random, boolean repeated) {
        Message.Builder message = Message.builder();
        for (String name : NAMES) {
            int value = repeated ? random.nextInt(20) : 100_000 + random.nextInt(900_000);
            message.add(MessageElement.ofXml(name, "<" + name + ">" + value + "</" + name + ">")
                    .withNamespace("app"));
        }
        return message.build();
    }
}
