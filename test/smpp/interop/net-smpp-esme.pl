# An ESME by Net::SMPP: binds, submits, waits for the receipt, acknowledges it, unbinds. Says what it saw, a line each.
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my ($port, $recipient) = @ARGV;
my ($smpp, $bound) = Net::SMPP->new_transceiver('127.0.0.1', port => $port, smpp_version => 0x34, interface_version => 0x34,
    system_id => 'perl', password => 'secret') or die "cannot connect: $!";
print "bound status=$bound->{status}\n";
my $sequence = $smpp->submit_sm(source_addr => '1000', destination_addr => $recipient, registered_delivery => 1,
    data_coding => 0, short_message => 'from perl', async => 1) or die 'cannot submit';
for (1 .. 2) {
    my $pdu = $smpp->read_pdu() or die "no PDU: $!";
    if ($pdu->{cmd} == Net::SMPP::CMD_submit_sm_resp) {
        print "submitted status=$pdu->{status} id=$pdu->{message_id}\n";
    } else {
        print "received cmd=$pdu->{cmd} esm=$pdu->{esm_class} text=$pdu->{short_message}\n";
        $smpp->deliver_sm_resp(seq => $pdu->{seq}, message_id => '');
    }
}
$smpp->unbind(async => 1);
my $unbound = $smpp->read_pdu();
print "unbound status=$unbound->{status}\n";
