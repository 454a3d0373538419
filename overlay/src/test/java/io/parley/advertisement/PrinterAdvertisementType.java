package io.parley.advertisement;

/** Registered in {@code META-INF/services} of the test resources. */
public final class PrinterAdvertisementType extends MappedAdvertisementType<PrinterAdvertisement> {
    public PrinterAdvertisementType() {
        super(PrinterAdvertisement.TYPE, PrinterAdvertisement.class);
    }
}
