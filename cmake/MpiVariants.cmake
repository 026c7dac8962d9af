function(starling_mpi_variants)
endfunction()
function(starling_install_variants destination)
endfunction()
