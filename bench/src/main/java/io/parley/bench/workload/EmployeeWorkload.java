package io.parley.bench.workload;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.charset.StandardCharsets;

/** Creates messages with one element, an employee file; each message has another variant of it. */
final class EmployeeWorkload {

    private EmployeeWorkload() {}

    static Message message(int records, int variant) {
        return Message.of(MessageElement.ofXml(
                "employees", new String(EmployeeFile.of(records, variant), StandardCharsets.US_ASCII)));
    }
}
